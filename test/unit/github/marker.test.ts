import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CommentSubject, hasMarker, writeMarker } from '../../../src/github/comment.ts';
import { rendered, seen } from '../../support/rendered.ts';

describe('a marker', () => {
  const some: fc.Arbitrary<CommentSubject> = fc.oneof(
    fc.record({ kind: fc.constant('branch'), branch: fc.string() }),
    fc.record({ kind: fc.constant('diff'), branch: fc.string(), base: fc.string() }),
  );

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
      fc.property(fc.string({ unit: fc.constantFrom('-', '>', '!', '<', 'a', ' ', '\n') }), (branch) => {
        return seen(rendered(`${writeMarker({ kind: 'branch', branch })}\n\nafter`)).trim() === 'after';
      }),
    );
  });
});
