import { type Command, parseCommand } from './commands.ts';
import { Masker, secretForms, withoutEntities } from './masks.ts';

export interface LogLine {
  stream: 'stdout' | 'stderr';
  /** as the process printed it */
  text: string;
  /** what the runner acted on; missing where the line was plain text to it */
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

/** What a step printed, line by line, with what the runner made of it. */
export class StepLog {
  readonly lines: LogLine[] = [];
  readonly masks: string[] = [];
  readonly annotations: Annotations = { notice: [], warning: [], error: [] };
  /** set by the deprecated `::set-output` and `::save-state`, which the runner still obeys */
  readonly outputs: [string, string][] = [];
  readonly state: [string, string][] = [];
  /** commands that the runner could not carry out; each fails the step */
  readonly faults: string[] = [];
  private stoppedBy: string | undefined;
  private readonly earlierMasks: string[];

  /** `earlierMasks`: what earlier steps of the job had masked, which holds on */
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
    // between `stop-commands` and its token everything is plain text
    return command?.name === this.stoppedBy.toLowerCase() ? command : undefined;
  }

  private obey({ name, properties, data }: Command, text: string): void {
    if (name === 'notice' || name === 'warning' || name === 'error') this.annotations[name].push(data);
    else if (name === 'add-mask') this.masks.push(data);
    else if (name === 'stop-commands') this.stoppedBy = data;
    else if (name === this.stoppedBy?.toLowerCase()) this.stoppedBy = undefined;
    else if (name === 'set-env' || name === 'add-path')
      this.faults.push(`The \`${name}\` command is disabled: ${text}`);
    else if (name === 'set-output' || name === 'save-state') {
      if (!properties.name) this.faults.push(`Required field 'name' is missing in ##[${name}] command: ${text}`);
      else (name === 'set-output' ? this.outputs : this.state).push([properties.name, data]);
    }
  }

  /** The lines of the log as GitHub shows them; `secrets` is what the runner knew before the step began. */
  masked(secrets: string[] = []): string[] {
    return this.view(secrets, new Masker()).map((line) => line.shown);
  }

  /**
   * Where the secrets can be read: in the log with no help but the masks that the step had asked for up to that line, and in
   * stderr and annotations at all. The masks are taken to the letter here, so that one that covers the raw value alone does not
   * excuse a percent-encoded one.
   */
  leaks(secrets: string[]): Leak[] {
    const found: Leak[] = [];
    const look = (where: string, text: string) => found.push(...leaksIn(where, text, secrets));
    for (const { line, shown, printed } of this.view([], new Masker({ encoded: false }))) {
      if (line.stream === 'stderr') look('stderr', line.text);
      else {
        look('stdout', printed);
        if (shown !== printed) look('log', shown);
      }
    }
    for (const [level, messages] of Object.entries(this.annotations))
      for (const message of messages) look(`annotation (${level})`, message);
    return found;
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

/** The runner shows a command in its own way: `##[error]…`. */
function shownAs({ text, command }: LogLine): string {
  return command ? `##[${command.name}]${command.data}` : text;
}

/** At most one leak for each secret: that it can be read is what counts, not in how many ways. */
export function leaksIn(where: string, text: string, secrets: string[]): Leak[] {
  const found: Leak[] = [];
  for (const secret of secrets) {
    const readable = [...secretForms(secret)].find(([form]) => text.includes(form));
    if (readable) found.push({ where, form: readable[1], text });
  }
  return found;
}

/** The same in Markdown: as it stands in the source, else as a browser shows it. */
export function leaksInMarkdown(where: string, text: string, secrets: string[]): Leak[] {
  const shown = withoutEntities(text);
  return secrets.flatMap((secret) => {
    const inSource = leaksIn(where, text, [secret]);
    return inSource.length > 0 ? inSource : leaksIn(where, shown, [secret]);
  });
}
