import type { InputSource } from '../../src/step/inputs.ts';
import { type ActionName, folderOf, readAction } from '../../tools/runner/action.ts';

/** The defaults of an `action.yml`; `github_token` is an expression there. */
export function defaultsOf(action: ActionName): Record<string, string> {
  return { ...Object.fromEntries(readAction(folderOf(action)).inputs), github_token: 'ghs_token' };
}

/** Those of the root action. */
export const defaults = defaultsOf('lifecycle');

/** Reads inputs as the toolkit does: trimmed, and with YAML's words for booleans. */
export function sourceOf(inputs: Record<string, string>): InputSource {
  const getInput: InputSource['getInput'] = (name) => (inputs[name] ?? '').trim();
  return {
    getInput,
    getBooleanInput(name) {
      const raw = getInput(name);
      if (/^(true|True|TRUE)$/.test(raw)) return true;
      if (/^(false|False|FALSE)$/.test(raw)) return false;
      throw new TypeError(`${name} is not a boolean`);
    },
  };
}
