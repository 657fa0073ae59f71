import { describe, expect, it } from 'vitest';
import { found } from './found.ts';

describe('a trigger of a view', () => {
  const view = 'CREATE VIEW public.v AS\n SELECT 1 AS a;\n';
  const trigger = (event: string) =>
    `CREATE TRIGGER g INSTEAD OF ${event} ON public.v FOR EACH ROW EXECUTE FUNCTION public.f();\n`;

  it('is reported if it is gone or changed', async () => {
    const before = view + trigger('INSERT');
    expect(await found(before, view)).toEqual(['drop-trigger public.v.g']);
    expect(await found(before, view + trigger('DELETE'))).toEqual(['drop-trigger public.v.g: definition changed']);
    expect(await found(view, before)).toEqual([]);
    expect(await found(before, '')).toEqual(['drop-view public.v']);
  });
});

describe('what is disabled', () => {
  const event = 'CREATE EVENT TRIGGER "E 1" ON sql_drop\n   EXECUTE FUNCTION public.f();\n';
  const rule =
    'CREATE TABLE public.t (\n    id integer\n);\nCREATE RULE r AS\n    ON DELETE TO public.t DO INSTEAD NOTHING;\n';

  it.each([
    [event, 'ALTER EVENT TRIGGER "E 1" DISABLE;', 'disable-trigger "E 1": event trigger'],
    [event, 'ALTER EVENT TRIGGER "E 1" ENABLE REPLICA;', 'disable-trigger "E 1": event trigger'],
    [rule, 'ALTER TABLE public.t DISABLE RULE r;', 'disable-trigger public.t.r'],
  ])('is reported: %s%s', async (created, disabled, finding) => {
    expect(await found(created, created + disabled)).toEqual([finding]);
    expect(await found(created + disabled, created)).toEqual([]);
  });

  it('is not an event trigger that always fires', async () => {
    expect(await found(event, `${event}ALTER EVENT TRIGGER "E 1" ENABLE ALWAYS;`)).toEqual([]);
  });
});
