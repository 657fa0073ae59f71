import { isDeepStrictEqual } from 'node:util';
import { Masker } from '../runner/masks.ts';

/** Prints the demo's sections, step logs and checks, and counts the checks. */
export class Report {
  readonly passed: string[] = [];
  readonly failed: string[] = [];
  private readonly secrets: () => Iterable<string>;
  private sections = 0;

  /** `secrets` returns everything that must not be printed, as known at the time of printing. */
  constructor(secrets: () => Iterable<string>) {
    this.secrets = secrets;
  }

  section(title: string): void {
    this.print(`\n${++this.sections}. ${title}\n`);
  }

  /** Prints lines from the log of a step. */
  log(lines: string[]): void {
    for (const line of lines) this.print(`   │ ${line}`);
  }

  check(sentence: string, actual: unknown, expected: unknown = true): void {
    const passed = isDeepStrictEqual(actual, expected);
    (passed ? this.passed : this.failed).push(sentence);
    this.print(`   ${passed ? '✓' : '✗'} ${sentence}`);
    if (passed) return;
    this.print(`       expected ${JSON.stringify(expected)}`);
    this.print(`       got      ${JSON.stringify(actual)}`);
  }

  /** Masks secrets. A text that contains one is a failed check. */
  print(text: string): void {
    const masker = new Masker();
    for (const secret of this.secrets()) masker.add(secret);
    const masked = masker.hide(text);
    process.stdout.write(`${masked}\n`);
    if (masked !== text) this.failed.push('this output contains no secret');
  }
}

/** `0.9 s` */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
