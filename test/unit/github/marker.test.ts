import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasMarker, writeMarker } from '../../../src/github/comment.ts';
import type { CommentSubject } from '../../../src/report/comment.ts';
import { rendered, seen } from '../../../tools/docs/rendered.ts';

describe('a marker', () => {
  const some = fc.record({
    kind: fc.constantFrom('branch' as const, 'diff' as const),
    project: fc.string(),
    of: fc.string(),
  });

  it('is found at the start of its own comment only', () => {
    fc.assert(
      fc.property(some, some, (marker, other) => {
        const body = `${writeMarker(marker)}\n\ntext`;
        expect(hasMarker(body, marker)).toBe(true);
        expect(hasMarker(body, other)).toBe(JSON.stringify(marker) === JSON.stringify(other));
        expect(hasMarker(`> ${body}`, marker)).toBe(false);
        expect(hasMarker(`text ${body}`, marker)).toBe(false);
      }),
    );
  });

  it('is hidden, whatever the names in it', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('-', '>', '!', '<', 'a', ' ', '\n') }), (of) => {
        const marker: CommentSubject = { kind: 'branch', project: 'p', of };
        return seen(rendered(`${writeMarker(marker)}\n\nafter`)).trim() === 'after';
      }),
    );
  });
});
