import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../files.ts';
import { takePictures, wordsIn, wordsOf } from './pictures.ts';

it('the pictures in the documents show what the actions say today; `npm run pictures` renews them', async () => {
  const pictures = await takePictures();
  for (const { name, markdown } of pictures)
    for (const file of [`${name}.png`, `${name}-dark.png`])
      expect({ file, words: wordsIn(readFileSync(join(ROOT, 'docs/images', file))) }).toEqual({
        file,
        words: wordsOf(markdown),
      });
});
