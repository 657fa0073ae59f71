/**
 * What must happen. A column is a kind of request. Reads: lookup by name, lookup by ID, read of an older branch, read of a new
 * branch, list of endpoints, whether the branch is masked (normally a 404), poll of an operation. Changes: create of a new name,
 * create of a taken name, delete, restore, creation of a compute endpoint, expiry.
 * `ok` or `no`: whether the step succeeds. The number: how often the request is sent; `+`: at least twice, until the step
 * times out. A restore whose response timed out is only sent again after 30 s, which is longer than these steps may take.
 */
const columns = [
  'look',
  'by id',
  'read',
  'fresh',
  'list',
  'masked',
  'poll',
  'create',
  'taken',
  'delete',
  'restore',
  'start',
  'expiry',
] as const;
export type Column = (typeof columns)[number];

/** The fault strikes only once. */
const once = `
                | look  by id  read  fresh  list  masked  poll | create  taken  delete  restore  start  expiry
 401            | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no 1    no 1     no 1    no 1     no 1   no 1
 403            | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no 1    no 1     no 1    no 1     no 1   no 1
 404            | no 1  ok 2   no 1  ok 2   ok 1  ok 1    ok 2 | no 1    no 1     ok 1    no 1     ok 2   no 1
 409            | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | ok 2    ok 1     no 1    no 1     no 1   no 1
 412            | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no 1    no 1     no 1    no 1     no 1   no 1
 422            | no 1  no 1   no 1  ok 2   no 1  no 1    no 1 | no 1    no 1     ok 2    no 1     no 1   no 1
 423            | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 2     ok 2    ok 2     ok 2   ok 2
 429 in 1 s     | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 2     ok 2    ok 2     ok 2   ok 2
 429 at a date  | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 2     ok 2    ok 2     ok 2   ok 2
 429            | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 2     ok 2    ok 2     ok 2   ok 2
 500            | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 1     ok 2    ok 2     ok 2   ok 2
 502 page       | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 1     ok 2    ok 2     ok 2   ok 2
 503            | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 2     ok 2    ok 2     ok 2   ok 2
 504            | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 1     ok 2    no 1     ok 2   ok 2
 524            | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 1     ok 2    no 1     ok 2   ok 2
 500 acted      | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 504 acted      | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 close before   | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 1     ok 2    ok 2     ok 2   ok 2
 close after    | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 close midway   | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 silence before | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 1     ok 2    no 1     ok 2   ok 2
 silence after  | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 byte by byte   | ok 1  ok 1   ok 1  ok 1   ok 1  ok 1    ok 1 | ok 1    ok 1     ok 1    ok 1     ok 1   ok 1
 byte a second  | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 cut off        | ok 2  ok 2   ok 2  ok 2   ok 2  ok 1    ok 2 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 another shape  | ok 2  ok 2   ok 2  ok 2   ok 2  ok 1    ok 2 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 empty          | ok 2  ok 2   ok 2  ok 2   ok 2  ok 1    ok 2 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 302 elsewhere  | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no 1    no 1     no 1    no 1     no 1   no 1
 307 elsewhere  | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no 1    no 1     no 1    no 1     no 1   no 1
 refused        | ok 2  ok 2   ok 2  ok 2   ok 2  ok 2    ok 2 | ok 2    ok 1     ok 2    ok 2     ok 2   ok 2
`;

/** The fault strikes every time. */
const always = `
                | look  by id  read  fresh  list  masked  poll | create  taken  delete  restore  start  expiry
 401            | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no 1    no 1     no 1    no 1     no 1   no 1
 403            | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no 1    no 1     no 1    no 1     no 1   no 1
 404            | no 1  no +   no 1  no +   ok 1  ok 1    no + | no 1    no 1     ok 1    no 1     no +   no 1
 409            | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no +    ok 1     no 1    no 1     no 1   no 1
 412            | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no 1    no 1     no 1    no 1     no 1   no 1
 422            | no 1  no 1   no 1  no +   no 1  no 1    no 1 | no 1    no 1     no 2    no 1     no 1   no 1
 423            | no +  no +   no +  no +   no +  no +    no + | no +    no +     no +    no +     no +   no +
 429 in 1 s     | no +  no +   no +  no +   no +  no +    no + | no +    no +     no +    no +     no +   no +
 429 at a date  | no +  no +   no +  no +   no +  no +    no + | no +    no +     no +    no +     no +   no +
 429            | no +  no +   no +  no +   no +  no +    no + | no +    no +     no +    no +     no +   no +
 500            | no +  no +   no +  no +   no +  no +    no + | no +    ok 1     no +    no +     no +   no +
 502 page       | no +  no +   no +  no +   no +  no +    no + | no +    ok 1     no +    no +     no +   no +
 503            | no +  no +   no +  no +   no +  no +    no + | no +    no +     no +    no +     no +   no +
 504            | no +  no +   no +  no +   no +  no +    no + | no +    ok 1     no +    no 1     no +   no +
 524            | no +  no +   no +  no +   no +  no +    no + | no +    ok 1     no +    no 1     no +   no +
 500 acted      | no +  no +   no +  no +   no +  no +    no + | ok 1    ok 1     no +    ok 1     ok 1   ok 1
 504 acted      | no +  no +   no +  no +   no +  no +    no + | ok 1    ok 1     no +    ok 1     ok 1   ok 1
 close before   | no +  no +   no +  no +   no +  no +    no + | no +    ok 1     no +    no +     no +   no +
 close after    | no +  no +   no +  no +   no +  no +    no + | ok 1    ok 1     no +    ok 1     ok 1   ok 1
 close midway   | no +  no +   no +  no +   no +  no +    no + | ok 1    ok 1     no +    ok 1     ok 1   ok 1
 silence before | no +  no +   no +  no +   no +  no +    no + | no +    ok 1     no +    no 1     no +   no +
 silence after  | no +  no +   no +  no +   no +  no +    no + | ok 1    ok 1     no +    ok 1     ok 1   ok 1
 byte by byte   | ok 1  ok 1   ok 1  ok 1   ok 1  ok 1    ok 1 | ok 1    ok 1     ok 1    ok 1     ok 1   ok 1
 byte a second  | no +  no +   no +  no +   no +  no +    no + | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 cut off        | no 3  no 3   no 3  no 3   no 3  ok 1    no 3 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 another shape  | no 3  no 3   no 3  no 3   no 3  ok 1    no 3 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 empty          | no 3  no 3   no 3  no 3   no 3  ok 1    no 3 | ok 1    ok 1     ok 2    ok 1     ok 1   ok 1
 302 elsewhere  | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no 1    no 1     no 1    no 1     no 1   no 1
 307 elsewhere  | no 1  no 1   no 1  no 1   no 1  no 1    no 1 | no 1    no 1     no 1    no 1     no 1   no 1
 refused        | no +  no +   no +  no +   no +  no +    no + | no +    ok 1     no +    no +     no +   no +
`;

export interface Outcome {
  ok: boolean;
  /** How often the request is sent; `many`: more than once, until the step times out. */
  sent: number | 'many';
}

export type Mode = 'once' | 'always';

const tables: Record<Mode, Map<string, Outcome>> = { once: parse(once), always: parse(always) };

export function outcomeOf(cell: { fault: string; column: Column; mode: Mode }): Outcome {
  const outcome = tables[cell.mode].get(`${cell.fault}/${cell.column}`);
  if (!outcome) throw new Error(`the table has no cell for ${cell.fault} on ${cell.column}`);
  return outcome;
}

export function parseOutcome(text: string): Outcome {
  const [, ok, sent = ''] = /^(ok|no) ([\d+])$/.exec(text) ?? [];
  if (ok === undefined) throw new Error(`invalid outcome: ${text}`);
  return { ok: ok === 'ok', sent: sent === '+' ? 'many' : Number(sent) };
}

function parse(table: string): Map<string, Outcome> {
  const [, ...rows] = table.split('\n').filter((line) => line.trim() !== '');
  const cells = new Map<string, Outcome>();
  for (const row of rows) {
    const [fault = '', ...rest] = row.split('|');
    const outcomes = rest.join(' ').match(/(ok|no) [\d+]/g) ?? [];
    if (outcomes.length !== columns.length) throw new Error(`${fault.trim()}: ${outcomes.length} cells`);
    for (const [index, column] of columns.entries())
      cells.set(`${fault.trim()}/${column}`, parseOutcome(outcomes[index] ?? ''));
  }
  return cells;
}
