import { type Found, missing, type Sides } from './found.ts';
import type { Routine } from './model.ts';

/** Functions, procedures and aggregates: what calls of the previous version can no longer do, and whose rights they run with. */
export function checkRoutines({ before, after }: Sides): Found[] {
  const nameOf = (signature: string) => signature.slice(0, signature.indexOf('('));
  const added = Map.groupBy(missing(after.functions.keys(), before.functions), nameOf);
  const gone = missing(before.functions.keys(), after.functions).flatMap((object): Found[] => {
    const was = before.functions.get(object) as Routine;
    const others = added.get(nameOf(object)) ?? [];
    if (others.some((other) => takesSameCalls(was, after.functions.get(other) as Routine))) return [];
    const [other] = others;
    if (other === undefined) return [{ rule: 'drop-function', object, detail: '' }];
    return [{ rule: 'change-function', object, detail: `now ${other}` }];
  });
  const changed = [...before.functions].flatMap(([object, was]): Found[] => {
    const is = after.functions.get(object);
    if (!is || is.result === was.result) return [];
    return [{ rule: 'change-function', object, detail: 'returns another type or other columns' }];
  });
  return [...gone, ...changed, ...definers({ before, after })];
}

/** Whether a call without the new arguments still works. */
function takesSameCalls(was: Routine, is: Routine): boolean {
  const isLonger = was.inputs.every((type, index) => is.inputs[index] === type);
  return isLonger && is.inputs.length - is.defaults <= was.inputs.length && is.result === was.result;
}

function definers({ before, after }: Pick<Sides, 'before' | 'after'>): Found[] {
  return [...after.functions].flatMap(([object, is]): Found[] => {
    const was = before.functions.get(object);
    const found = (detail: string): Found[] => [{ rule: 'security-definer', object, detail }];
    if (!is.securityDefiner) return [];
    if (!was) return is.searchPath === undefined ? found('new, without a `search_path`') : [];
    if (!was.securityDefiner) return found('');
    if (was.searchPath === is.searchPath || was.searchPath === undefined) return [];
    return found(is.searchPath === undefined ? 'no longer sets `search_path`' : 'sets another `search_path`');
  });
}
