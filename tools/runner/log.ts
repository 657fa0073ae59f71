import { limits } from '../../src/step/limits.ts';
import { type Command, parseCommand } from './commands.ts';
import { Masker, secretForms, withoutEntities } from './masks.ts';

export interface LogLine {
  stream: 'stdout' | 'stderr';
  /** the line as the process printed it */
  text: string;
  /** the command that the runner executed; missing for plain text */
  command?: Command;
}

export interface Annotations {
  notice: string[];
  warning: string[];
  error: string[];
}

/** One place where a secret can be read. */
export interface Leak {
  where: string;
  form: string;
  text: string;
}

/** The lines that a step printed, and what the runner did with them. */
export class StepLog {
  readonly lines: LogLine[] = [];
  readonly masks: string[] = [];
  readonly annotations: Annotations = { notice: [], warning: [], error: [] };
  /**
   * Commands that fail the step: those that the runner refuses, and the deprecated `set-output` and `save-state`, which it still
   * executes. No step of ours needs them, so only text from outside can have brought them in.
   */
  readonly faults: string[] = [];
  private stoppedBy: string | undefined;
  private readonly earlierMasks: string[];

  /** `earlierMasks`: the masks of earlier steps of the job, which stay in effect */
  constructor(earlierMasks: string[] = []) {
    this.earlierMasks = earlierMasks;
  }

  add(stream: LogLine['stream'], text: string): LogLine {
    const command = this.commandIn(text);
    const line = command ? { stream, text, command } : { stream, text };
    this.lines.push(line);
    if (command) this.obey(command, text);
    return line;
  }

  private commandIn(text: string): Command | undefined {
    const command = parseCommand(text, this.stoppedBy);
    if (this.stoppedBy === undefined) return command;
    // Between `stop-commands` and its token, everything is plain text.
    return command?.name === this.stoppedBy.toLowerCase() ? command : undefined;
  }

  private obey({ name, data }: Command, text: string): void {
    if (name === 'notice' || name === 'warning' || name === 'error') this.annotations[name].push(cut(data));
    else if (name === 'add-mask') this.masks.push(data);
    else if (name === 'stop-commands') this.stoppedBy = data;
    else if (name === this.stoppedBy?.toLowerCase()) this.stoppedBy = undefined;
    else if (/^(set-env|add-path|set-output|save-state)$/.test(name))
      this.faults.push(`The \`${name}\` command is disabled or deprecated: ${text}`);
  }

  /** The log as GitHub shows it; `secrets` are those that the runner knew before the step. */
  masked(secrets: string[] = []): string[] {
    return this.view(secrets, new Masker()).map((line) => line.shown);
  }

  /**
   * Where the secrets can be read: in the log after the masks that the step had registered up to that line, and in stderr and
   * annotations even without masks. Masks are literal here: one for the raw value does not cover the percent-encoded value.
   */
  leaks(secrets: string[]): Leak[] {
    const places: [where: string, text: string][] = [];
    const look = (where: string, text: string) => places.push([where, text]);
    for (const { line, shown, printed } of this.view([], new Masker({ encoded: false }))) {
      if (line.stream === 'stderr') look('stderr', line.text);
      else {
        look('stdout', printed);
        if (shown !== printed) look('log', shown);
      }
    }
    for (const [level, messages] of Object.entries(this.annotations))
      for (const message of messages) look(`annotation (${level})`, message);
    // Most occur nowhere, which one pass over everything shows.
    const everything = places.map(([, text]) => text).join('\n');
    const readable = secrets.filter((secret) => formIn(everything, secret));
    return places.flatMap(([where, text]) => leaksIn(where, text, readable));
  }

  private view(secrets: string[], masker: Masker): { line: LogLine; printed: string; shown: string }[] {
    for (const secret of [...secrets, ...this.earlierMasks]) masker.add(secret);
    const view: { line: LogLine; printed: string; shown: string }[] = [];
    for (const line of this.lines) {
      if (line.command?.name === 'add-mask') masker.add(line.command.data);
      else view.push({ line, printed: masker.hide(line.text), shown: masker.hide(shownAs(line)) });
    }
    return view;
  }
}

/** The runner shows commands in another form: `##[error]…`. */
function shownAs({ text, command }: LogLine): string {
  if (!command) return text;
  return `##[${command.name}]${/^(notice|warning|error)$/.test(command.name) ? cut(command.data) : command.data}`;
}

/** As much of an annotation as the runner keeps. */
function cut(message: string): string {
  return message.slice(0, limits.annotationCharacters);
}

/** At most one leak for each secret. */
export function leaksIn(where: string, text: string, secrets: string[]): Leak[] {
  return secrets.flatMap((secret) => {
    const form = formIn(text, secret);
    return form === undefined ? [] : [{ where, form, text }];
  });
}

/** The name of the form in which a secret can be read in a text. */
function formIn(text: string, secret: string): string | undefined {
  for (const [form, name] of secretForms(secret)) if (text.includes(form)) return name;
  return undefined;
}

/** The same for Markdown: in its source, else as a browser shows it. */
export function leaksInMarkdown(where: string, text: string, secrets: string[]): Leak[] {
  const shown = withoutEntities(text);
  return secrets.flatMap((secret) => {
    const inSource = leaksIn(where, text, [secret]);
    return inSource.length > 0 ? inSource : leaksIn(where, shown, [secret]);
  });
}
