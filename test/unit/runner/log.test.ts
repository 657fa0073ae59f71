import { EOL } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limits } from '../../../src/step/limits.ts';
import { fail } from '../../../src/step/log.ts';

describe('fail', () => {
  let printed = '';
  beforeEach(() => {
    printed = '';
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
      printed += String(text).replaceAll(EOL, '\n');
      return true;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
    process.exitCode = undefined;
  });

  /** The message of the annotation, and what was printed before it. */
  function parts(): { before: string; annotation: string } {
    const [before = '', command = ''] = printed.split('::error title=Database Branch::');
    return { before, annotation: command.replace(/\n$/, '').replaceAll('%0A', '\n').replaceAll('%25', '%') };
  }

  it('prints a message that fits once', () => {
    fail('Could not create it:\n- one\n- two');
    expect(parts()).toEqual({ before: '', annotation: 'Could not create it:\n- one\n- two' });
    expect(process.exitCode).toBe(1);
  });

  it('cuts one that the runner would cut at a line, and prints all of it to the log first', () => {
    const items = Array.from({ length: 200 }, (_, index) => `- branch ${index} could not be deleted`);
    fail(['200 branches could not be deleted:', ...items].join('\n'));
    const { before, annotation } = parts();
    expect(before).toContain('- branch 199 could not be deleted\n');
    expect(annotation.length).toBeLessThanOrEqual(limits.annotationCharacters);
    expect(annotation.length).toBeGreaterThan(limits.annotationCharacters - 100);
    expect(annotation).toMatch(/- branch \d+ could not be deleted\n\n… The rest is in the log above\.\n$/);
  });

  it('cuts long lines, so that the first always fits', () => {
    fail(`${'x'.repeat(9_000)}\n${'y'.repeat(9_000)}`);
    const { annotation } = parts();
    expect(annotation).toMatch(/^x{3999}…\n\n… The rest is in the log above\.\n$/);
  });
});
