import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidValue } from '../../../src/step/invalid.ts';
import * as value from '../../../src/step/values.ts';
import { branchId, projectId } from '../../../src/step/values.ts';
import { anyCharacter } from '../../../tools/fuzz/texts.ts';
import { near, rejected } from '../../support/rejected.ts';

describe('a duration', () => {
  const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

  it('is a whole number with a unit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 36_500 }), fc.constantFrom('s', 'm', 'h', 'd'), (count, unit) => {
        expect(value.duration(`${count}${unit}`)).toBe(count * units[unit as 's']);
        expect(value.duration(`00${count}${unit}`)).toBe(count * units[unit as 's']);
      }),
    );
  });

  it('has no other form', () => {
    fc.assert(
      fc.property(near('0123456789', 'smhdwMHD', ' .-+e'), (text) => {
        fc.pre(!/^\d+[smhd]$/.test(text));
        expect(rejected(() => value.duration(text)).message).toContain('90m, 12h or 14d');
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
      rejected(() => value.duration(text));
  });

  it('is at most a hundred years', () => {
    expect(value.duration('36500d')).toBe(36_500 * units.d);
    rejected(() => value.duration('36501d'));
  });

  it('is at most five days for a step', () => {
    expect(value.timeout('5d')).toBe(5 * units.d);
    expect(value.timeout('120h')).toBe(5 * units.d);
    rejected(() => value.timeout('121h'));
  });
});

describe('a time', () => {
  it('is read to the millisecond', () => {
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
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
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
  ])('cannot be %s', (text) => {
    expect(rejected(() => value.time(text)).message).toContain('2026-12-31T18:00:00Z');
  });

  it('is either read or rejected', () => {
    fc.assert(
      fc.property(near('0123456789', '-:TZtz+.'), (text) => {
        try {
          expect(Number.isFinite(value.time(text))).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidValue);
        }
      }),
    );
  });

  it('keeps all its digits as a point in history', () => {
    expect(value.point('2026-01-01T00:00:00.123456Z')).toEqual({ timestamp: '2026-01-01T00:00:00.123456Z' });
    rejected(() => value.point('yesterday'));
  });
});

describe('a key', () => {
  it('must fit into a header, and is never shown', () => {
    expect(value.credential('napi_abc-1.~')).toBe('napi_abc-1.~');
    for (const raw of [
      'napi_secret99\nnapi_x',
      'napi_secret99\r',
      'napi secret99',
      'napi_secret99é',
      '\u0000secret99',
    ]) {
      const error = rejected(() => value.credential(raw));
      expect(`${error.message} ${error.shown}`).not.toContain('secret99');
    }
  });

  it.each(['"napi_secret99"', "'napi_secret99'", '`napi_secret99`'])('has no quotes around it: %s', (raw) => {
    const error = rejected(() => value.credential(raw));
    expect(`${error.message} ${error.shown}`).not.toContain('secret99');
  });
});

describe('an ID', () => {
  it.each(['shiny-wind-028834', 'a', 'broad-river-1'])('of a project may be %s', (id) => {
    expect(projectId(id)).toBe(id);
  });

  it.each(['br-wispy-meadow-118737', 'ep-cool-rain-1', 'My Project', 'a/b', 'a?b', '..', 'a'.repeat(61)])(
    'of a project cannot be %s',
    (raw) => {
      expect(rejected(() => projectId(raw)).message).toContain('shiny-wind-028834');
    },
  );

  it('of a branch is not a name or a connection string', () => {
    expect(branchId('br-wispy-meadow-118737')).toBe('br-wispy-meadow-118737');
    for (const raw of ['preview/pr-7', 'br_1', 'br-1/../x', 'postgres://u:secret99@h'])
      expect(rejected(() => branchId(raw)).shown ?? '').not.toContain('secret99');
  });
});

describe('a number', () => {
  it.each([
    ['-1', -1],
    ['0', 0],
    ['300', 300],
    ['604800', 604_800],
  ])('for suspend_timeout may be %s', (raw, seconds) => {
    expect(value.suspendTimeout(raw)).toBe(seconds);
  });
  it.each(['soon', '-2', '604801', '1.5', '1e3', '0x10', '', ' 1', '٣', 'Infinity', '-0x1', '--1', '5m'])(
    'for suspend_timeout cannot be %j',
    (raw) => {
      rejected(() => value.suspendTimeout(raw));
    },
  );

  it.each([
    ['0.25', 0.25],
    ['2', 2],
    ['10.5', 10.5],
  ])('of compute units may be %s', (raw, units) => {
    expect(value.computeUnits(raw)).toBe(units);
  });
  it.each(['0', '0.0', '-1', '.5', '1.', '1e1', 'NaN', 'two', '1,5', ''])('of compute units cannot be %j', (raw) => {
    rejected(() => value.computeUnits(raw));
  });

  it.each(['0/1DE2850', 'FFFFFFFF/FFFFFFFF', 'a/b'])('of a log sequence may be %s', (raw) => {
    expect(value.point(raw)).toEqual({ lsn: raw.toUpperCase() });
  });
  it.each(['0/', '/1', '0/123456789', '0-1', '0/1 ', 'g/1', '0/1/2'])('of a log sequence cannot be %j', (raw) => {
    rejected(() => value.point(raw));
  });
});

describe('a branch name', () => {
  it('may have any characters but line breaks, up to 256', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 256 }), (text) => {
        const name = text.replace(/[\n\v\f\r\u0085\u2028\u2029]/g, 'x');
        expect(value.branchName(name)).toBe(name);
      }),
    );
    for (const name of ['a\nb', 'a\r\nb', 'a\u2028b']) {
      expect(rejected(() => value.branchName(name)).expected).toContain('on one line');
      expect(rejected(() => value.branchNameOrId(name)).expected).toContain('on one line');
    }
    expect(value.branchName('😀'.repeat(256))).toHaveLength(512);
    expect(rejected(() => value.branchName('x'.repeat(257))).expected).toContain('at most 256 characters');
  });
});

describe('JSON', () => {
  it('is parsed, and never shown if it is invalid', () => {
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
      const error = rejected(() => value.json(raw));
      expect(`${error.message} ${error.shown}`).not.toContain('secret99');
      expect(error).toMatchObject({ shown: 'the value (not shown)', expected: expect.stringMatching(/^valid JSON/) });
    }
  });

  it('says where it is invalid', () => {
    expect(rejected(() => value.json('{"a": 1')).expected).toBe('valid JSON (the error is at position 7)');
    expect(rejected(() => value.json('undefined')).expected).toBe('valid JSON');
  });

  it('of masking rules is an array of objects', () => {
    for (const raw of ['[]', '{}', '[1]', '[[]]', '[null]', 'null', '"x"']) rejected(() => value.maskingRules(raw));
  });

  it('of a masking rule names a column and what masks it', () => {
    const column = { database_name: 'neondb', schema_name: 'public', table_name: 'users', column_name: 'email' };
    const fine = [
      { ...column, masking_function: 'anon.fake_email()', masking_value: '' },
      { ...column, masking_value: 'x', later: 1 },
    ];
    expect(value.maskingRules(JSON.stringify(fine))).toEqual(fine);
    for (const rule of [
      ...[{}, { a: 1 }, column, { ...column, masking_value: '' }, { ...column, masking_function: null }],
      ...Object.keys(column).flatMap((name) => [
        { ...fine[0], [name]: undefined },
        { ...fine[0], [name]: 1 },
        { ...fine[0], [name]: '' },
      ]),
    ]) {
      const { expected, shown } = rejected(() => value.maskingRules(JSON.stringify([...fine, rule])));
      expect(shown).toBe('the value (not shown)');
      expect(expected).toBe(
        'a JSON array of masking rules, each with database_name, schema_name, table_name, column_name, and masking_function or masking_value',
      );
    }
  });
});

describe('a list of globs', () => {
  const matching = (raw: string, names: string[]) =>
    names.filter((name) => value.globs(raw).some((glob) => glob.matches(name)));

  it.each([
    ['staging', ['staging']],
    ['staging-*, demo', ['staging-1', 'demo']],
    ['staging\n  demo\r\n\n', ['staging', 'demo']],
    [',staging,, demo ,', ['staging', 'demo']],
    ['a\\,b', ['a,b']],
    ['a\\*,b', ['a*', 'b']],
    ['u\u0308*', ['\u00fcber']],
  ])('%j', (raw, names) => {
    const others = ['staging', 'staging-1', 'demo', 'a,b', 'a', 'b', 'a*', '\u00fcber', ''];
    expect(matching(raw, others)).toEqual(others.filter((name) => names.includes(name)));
  });

  it.each([',', ', \n,', 'staging, [a-z]', 'a\\'])('not %j', (raw) => {
    rejected(() => value.globs(raw));
  });
});

describe('a glob', () => {
  it.each(['a{b', 'a[b', '{a,b}', '[a-z]'])('has no wildcards except * and ?: %s', (raw) => {
    expect(rejected(() => value.globs(raw)).expected).toMatch(
      /^a glob such as preview\/\* \(only \* and \? are wildcards; for a literal ([[{]), write \\\1\)$/,
    );
  });

  it('may have escaped characters', () => {
    expect(value.globs('\\[a\\]')[0]?.matches('[a]')).toBe(true);
    rejected(() => value.globs('a\\'));
  });
});

describe('a branch name', () => {
  it.each(['br-wispy-meadow-118737', 'br-yellow-thunder-h7sh8o6j'])('is not an ID: %s', (id) => {
    expect(rejected(() => value.branchName(id)).message).toContain('set branch_id');
    expect(value.branchNameOrId(id)).toBe(id);
  });

  it.each([
    'br-1',
    'br-',
    'preview/br-wispy-meadow-118737',
    'br-wispy-meadow',
    'br-wispy-meadow-118737/x',
    'BR-wispy-meadow-118737',
  ])('may look a little like one: %s', (name) => {
    expect(value.branchName(name)).toBe(name);
  });
});
