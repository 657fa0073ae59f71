import { afterEach, expect, it, vi } from 'vitest';
import { mask } from '../../../src/step/log.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

it('a text of fewer than four characters is no mask', () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  for (const secret of ['', 'p', 'abc', ' abc ', '%41%42', 'abcd']) mask(secret);
  expect(written.map((line) => line.trim())).toEqual([
    '::add-mask::%2541%2542',
    '::add-mask::%252541%252542',
    '::add-mask::abcd',
  ]);
});
