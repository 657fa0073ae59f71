import { isDeepStrictEqual } from 'node:util';
import { Masker } from '../support/masks.ts';

/** What the play prints: acts, what a user would see of each step, and whether all is as it should be. */
export class Account {
  /** checks that hold, and those that do not, in the order in which they were made */
  readonly held: string[] = [];
  readonly broken: string[] = [];
  private readonly secrets: () => Iterable<string>;
  private acts = 0;

  /** `secrets` are all that must not be read in what is printed, as known by the time of printing. */
  constructor(secrets: () => Iterable<string>) {
    this.secrets = secrets;
  }

  act(title: string): void {
    this.print(`\n${++this.acts}. ${title}\n`);
  }

  /** Lines of a step, as its log shows them. */
  log(lines: string[]): void {
    for (const line of lines) this.print(`   │ ${line}`);
  }

  /** Something to know that is neither right nor wrong. */
  note(text: string): void {
    for (const line of text.split('\n')) this.print(`   ${line}`);
  }

  /** One thing that has to be so. */
  check(sentence: string, actual: unknown, expected: unknown = true): void {
    const holds = isDeepStrictEqual(actual, expected);
    (holds ? this.held : this.broken).push(sentence);
    this.print(`   ${holds ? '✓' : '✗'} ${sentence}`);
    if (holds) return;
    this.print(`       expected ${JSON.stringify(expected)}`);
    this.print(`       got      ${JSON.stringify(actual)}`);
  }

  /** A secret is never printed; that one would have been is a fault. */
  print(text: string): void {
    const masker = new Masker();
    for (const secret of this.secrets()) masker.add(secret);
    const shown = masker.hide(text);
    process.stdout.write(`${shown}\n`);
    if (shown !== text) this.broken.push('nothing that is printed here holds a secret');
  }
}

/** `0.9 s` */
export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
