import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as value from '../../../src/inputs/parse.ts';
import { near, refused } from '../../support/refused.ts';

describe('a span', () => {
  const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

  it('is a whole number with a unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 36_500 }), fc.constantFrom('s', 'm', 'h', 'd'), (count, unit) => {
        expect(value.span(`${count}${unit}`)).toBe(count * units[unit as 's']);
        expect(value.span(`00${count}${unit}`)).toBe(count * units[unit as 's']);
      }),
    );
  });

  it('is nothing else', () => {
    fc.assert(
      fc.property(near('0123456789', 'smhdwMHD', ' .-+e'), (text) => {
        fc.pre(!/^\d+[smhd]$/.test(text));
        expect(refused(() => value.span(text)).message).toContain('90m, 12h or 14d');
      }),
    );
    for (const text of [
      '0s',
      '000d',
      '999999999d',
      '2 weeks',
      '1.5h',
      '-1h',
      '٣d',
      '1h30m',
      '1H',
      'P1D',
      '99999999999s',
    ])
      refused(() => value.span(text));
  });

  it('for the step is five days at most', () => {
    expect(value.timeout('5d')).toBe(5 * units.d);
    expect(value.timeout('120h')).toBe(5 * units.d);
    refused(() => value.timeout('121h'));
  });
});

describe('a time', () => {
  it('is RFC 3339, to the millisecond', () => {
    const dates = fc.date({
      min: new Date('1970-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => {
        expect(value.time(date.toISOString())).toBe(date.getTime());
        expect(value.time(date.toISOString().toLowerCase())).toBe(date.getTime());
        const seconds = value.toSeconds(date.getTime());
        expect(seconds).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        expect(date.getTime() - value.time(seconds)).toBeLessThan(1_000);
      }),
    );
    expect(value.time('2026-02-28T23:30:00.123456789+05:30')).toBe(Date.parse('2026-02-28T18:00:00.123Z'));
    expect(value.time('2028-02-29T00:00:00Z')).toBe(Date.parse('2028-02-29T00:00:00Z'));
  });

  it.each([
    '2026-02-29T00:00:00Z',
    '2026-02-30T00:00:00Z',
    '2026-04-31T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:60Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00Z',
    '2026-01-01',
    '2026-01-01 00:00:00Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00.Z',
    '1767225600',
    'tomorrow',
    ' 2026-01-01T00:00:00Z',
  ])('is not %s', (text) => {
    expect(refused(() => value.time(text)).message).toContain('2026-12-31T18:00:00Z');
  });

  it('is never half understood', () => {
    fc.assert(
      fc.property(near('0123456789', '-:TZtz+.'), (text) => {
        try {
          expect(Number.isFinite(value.time(text))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(value.Fault);
        }
      }),
    );
  });

  it('in history goes on as it was given', () => {
    expect(value.timestamp('2026-01-01T00:00:00.123456Z')).toBe('2026-01-01T00:00:00.123456Z');
    refused(() => value.timestamp('yesterday'));
  });
});

describe('the key', () => {
  it('is anything that can stand in a header, and is never shown', () => {
    expect(value.credential('napi_abc-1.~')).toBe('napi_abc-1.~');
    for (const raw of [
      'napi_secret99\nnapi_x',
      'napi_secret99\r',
      'napi secret99',
      'napi_secret99é',
      '\u0000secret99',
    ]) {
      const fault = refused(() => value.credential(raw));
      expect(`${fault.message} ${fault.got}`).not.toContain('secret99');
    }
    expect(refused(() => value.credential('a\nb')).got).toContain('line break');
  });
});

describe('IDs', () => {
  it.each(['shiny-wind-028834', 'a', 'broad-river-1'])('%s may be a project', (id) => {
    expect(value.projectId(id)).toBe(id);
  });

  it.each([
    ['br-wispy-meadow-118737', 'a branch ID'],
    ['ep-cool-rain-1', 'a compute endpoint ID'],
    ['postgresql://u:secret99@h/d', 'a connection string'],
    ['postgres://h/d', 'a connection string'],
    [' postgres://u:secret99@h', 'a connection string'],
    ['My Project', undefined],
    ['a/b', undefined],
    ['a?b', undefined],
    ['..', undefined],
    ['a'.repeat(61), undefined],
  ])('%s is no project', (raw, got) => {
    const fault = refused(() => value.projectId(raw));
    if (got) expect(fault.got).toContain(got);
    expect(fault.got ?? '').not.toContain('secret99');
    expect(fault.message).toContain('shiny-wind-028834');
  });

  it('of a branch are no names and no addresses', () => {
    expect(value.branchId('br-wispy-meadow-118737')).toBe('br-wispy-meadow-118737');
    for (const raw of ['preview/pr-7', 'br_1', 'br-1/../x', 'postgres://u:secret99@h'])
      expect(refused(() => value.branchId(raw)).got ?? '').not.toContain('secret99');
  });

  it('of operations come as JSON or as a list, each once', () => {
    for (const raw of ['["a-1","b_2","a-1"]', 'a-1,b_2,a-1', ' a-1 , b_2\na-1,,', 'a-1\n\nb_2', ' [ "a-1", "b_2" ] '])
      expect(value.ids(raw)).toEqual(['a-1', 'b_2']);
    for (const raw of ['["a"', '[1]', '[["a"]]', 'a/b', 'a;b', '[""]', `${'a'.repeat(65)}`])
      refused(() => value.ids(raw));
  });
});

describe('numbers', () => {
  it.each([
    ['-1', -1],
    ['0', 0],
    ['300', 300],
    ['604800', 604_800],
  ])('suspend_timeout takes %s', (raw, seconds) => {
    expect(value.suspendTimeout(raw)).toBe(seconds);
  });
  it.each(['soon', '-2', '604801', '1.5', '1e3', '0x10', '', ' 1', '٣', 'Infinity', '-0x1', '--1', '5m'])(
    'nor %j',
    (raw) => {
      refused(() => value.suspendTimeout(raw));
    },
  );

  it.each([
    ['0.25', 0.25],
    ['2', 2],
    ['10.5', 10.5],
  ])('compute units are %s', (raw, units) => {
    expect(value.computeUnits(raw)).toBe(units);
  });
  it.each(['0', '0.0', '-1', '.5', '1.', '1e1', 'NaN', 'two', '1,5', ''])('nor %j', (raw) => {
    refused(() => value.computeUnits(raw));
  });

  it.each(['0/1DE2850', 'FFFFFFFF/FFFFFFFF', 'a/b'])('an LSN is %s', (raw) => {
    expect(value.lsn(raw)).toBe(raw);
  });
  it.each(['0/', '/1', '0/123456789', '0-1', '0/1 ', 'g/1', '0/1/2'])('nor %j', (raw) => {
    refused(() => value.lsn(raw));
  });
});

describe('names', () => {
  it('of branches have whatever characters they like, up to 256 of them', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1, maxLength: 256 }), (name) => {
        expect(value.branchName(name)).toBe(name);
      }),
    );
    expect(value.branchName('😀'.repeat(256))).toHaveLength(512);
    expect(refused(() => value.branchName('x'.repeat(257))).got).toBe('257 characters');
  });
});

describe('JSON', () => {
  it('is taken whole, and never shown where it is faulty', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(value.json(text)).toEqual(JSON.parse(text));
      }),
    );
    for (const raw of [
      '{"password": "secret99"',
      '{"password": secret99}',
      'secret99',
      '["secret99",]',
      '"secret99\n"',
      '{secret99}',
    ]) {
      const fault = refused(() => value.json(raw));
      expect(`${fault.message} ${fault.got}`).not.toContain('secret99');
      expect(fault.got).toMatch(/^what is no JSON \(.+\)$/);
    }
  });

  it('of masking rules is a list of objects', () => {
    expect(value.maskingRules('[{"a": 1}]')).toEqual([{ a: 1 }]);
    for (const raw of ['[]', '{}', '[1]', '[[]]', '[null]', 'null', '"x"']) refused(() => value.maskingRules(raw));
  });
});
