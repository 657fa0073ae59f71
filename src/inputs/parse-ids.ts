import { show } from '../text/inert.ts';
import { InvalidValue } from './invalid.ts';
import { isConnectionString, looksLikeKey } from './key.ts';
import { json } from './parse.ts';

const idForm = /^[a-z0-9-]{1,60}$/;

/** `shown` is how to refer to a value that is the ID of something else. */
function id(raw: string, options: { expected: string; shown?: string | undefined }): string {
  const { expected, shown } = options;
  if (isConnectionString(raw)) throw new InvalidValue(expected, 'a connection URI (not shown)');
  if (shown !== undefined || !idForm.test(raw)) throw new InvalidValue(expected, shown);
  return raw;
}

export function projectId(raw: string): string {
  const other = raw.startsWith('br-') ? 'a branch ID' : raw.startsWith('ep-') ? 'a compute endpoint ID' : undefined;
  const expected = "the project's ID from its settings, such as shiny-wind-028834";
  if (looksLikeKey(raw) && !idForm.test(raw)) {
    throw new InvalidValue(
      `${expected}; are \`project_id\` and \`api_key\` swapped?`,
      'a value that looks like a key (not shown)',
    );
  }
  return id(raw, {
    expected,
    shown: other && `${show(raw)} (${other})`,
  });
}

export function branchId(raw: string): string {
  return id(raw, { expected: 'a branch ID such as br-wispy-meadow-118737; for a name, set branch_name' });
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Operation IDs, each once: a JSON array, or separated by commas or white space. */
export function ids(raw: string): string[] {
  const value: unknown = raw.trimStart().startsWith('[')
    ? json(raw)
    : raw.split(/[\s,]+/).filter((part) => part !== '');
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string' && uuid.test(one))) {
    throw new InvalidValue('operation IDs (UUIDs) as a JSON array, or separated by commas or line breaks');
  }
  return [...new Set(value as string[])];
}
