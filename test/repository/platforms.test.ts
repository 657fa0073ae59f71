import { describe, expect, it } from 'vitest';
import { filesBelow, read } from '../../tools/files.ts';

/** What behaves differently, or not at all, on one of the systems that runners have. */
const differing: [RegExp, string][] = [
  [/\bprocess\.(getuid|geteuid|getgid|setuid|setgid|umask)\b/, 'missing on Windows'],
  [/\bprocess\.on(ce)?\('SIG(?!INT'|TERM')/, 'a signal that Windows does not have'],
  [/\bprocess\.kill\(/, 'ends a process at once on Windows'],
  [/['"`]\/(tmp|dev|etc|usr|bin|proc|var)\b/, 'a path of POSIX systems'],
  [
    /\.(RUNNER_TEMP|GITHUB_WORKSPACE|RUNNER_WORKSPACE)\}?[`'"]? ?\+? ?['"`]?[/\\]/,
    'a path that is built by hand; use join',
  ],
  [/(tmpdir|homedir)\(\)\}?[`'"]? ?\+? ?['"`]?[/\\]/, 'a path that is built by hand; use join'],
  [/new URL\([^)]*import\.meta\.url\)\.pathname/, 'a path with a leading slash on Windows; use fileURLToPath'],
  [/\b(symlinkSync|symlink|linkSync|chmodSync|chmod|chown|mkfifo)\(/, 'needs rights or does nothing on Windows'],
  [
    /\bspawn(Sync)?\(|\bexec(File)?(Sync)?\((?!.*\btext\b)|from 'node:child_process'/,
    'starts a program, which may not be there',
  ],
  [/\benv\[[^\]]*toLowerCase|\bin process\.env\b/, 'variables: their names have no case on Windows'],
];

/**
 * Starts a program, which is what the user asks it for, on Windows too, where it ends only the shell
 * and not what that has started.
 */
const runsCommands = ['src/rehearse/command.ts'];

describe('the sources use nothing that depends on the system:', () => {
  const files = filesBelow('src', /\.ts$/).filter((path) => !runsCommands.includes(path));

  it.each(differing)('%s', (pattern, why) => {
    const found = files.flatMap((path) =>
      read(path)
        .split('\n')
        .filter((line) => !/^\s*(\*|\/\/|\/\*)/.test(line) && !/\.exec\(/.test(line) && pattern.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(found, why).toEqual([]);
  });

  it('is checked with patterns that find what they are for', () => {
    const samples = [
      'process.getuid()',
      "process.on('SIGHUP', stop)",
      'process.kill(1)',
      "'/tmp/x'",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a sample of code
      '`${process.env.RUNNER_TEMP}/x`',
      "tmpdir() + '/x'",
      'new URL("./x", import.meta.url).pathname',
      'chmodSync(path, 0o600)',
      "import { spawn } from 'node:child_process'",
      "if ('PATH' in process.env)",
    ];
    expect(differing.map(([pattern], index) => pattern.test(samples[index] ?? ''))).toEqual(samples.map(() => true));
  });
});
