import { describe, expect, it } from 'vitest';
import * as shape from '../../../src/http/shape.ts';
import { ShapeError } from '../../../src/text/json.ts';

const read = {
  object: (value: unknown) => shape.object(value, 'x'),
  optionalObject: (value: unknown) => shape.optionalObject(value),
  string: (value: unknown) => shape.string(value, 'x'),
  optionalString: (value: unknown) => shape.optionalString(value, 'x'),
  id: (value: unknown) => shape.id(value, 'x'),
  list: (value: unknown) => shape.list(value, 'x', shape.string),
  optionalList: (value: unknown) => shape.optionalList(value, 'x', shape.string),
};

describe('a value in a response', () => {
  it.each<[keyof typeof read, unknown, unknown]>([
    ['object', { a: 1 }, { a: 1 }],
    ['optionalObject', { a: 1 }, { a: 1 }],
    ['optionalObject', undefined, {}],
    ['optionalObject', null, {}],
    ['optionalObject', [1], {}],
    ['optionalObject', 'a', {}],
    ['string', 'a', 'a'],
    ['optionalString', 'a', 'a'],
    ['optionalString', undefined, undefined],
    ['optionalString', null, undefined],
    ['optionalString', '', undefined],
    ['id', 'br-cool_rain-1', 'br-cool_rain-1'],
    ['id', 'a'.repeat(64), 'a'.repeat(64)],
    ['list', ['a', 'b'], ['a', 'b']],
    ['list', [], []],
    ['optionalList', ['a'], ['a']],
    ['optionalList', undefined, []],
    ['optionalList', null, []],
  ])('read as %s: %j is %j', (kind, value, expected) => {
    expect(read[kind](value)).toEqual(expected);
  });

  it.each<[keyof typeof read, unknown, string]>([
    ['object', undefined, 'x is not an object'],
    ['object', null, 'x is not an object'],
    ['object', [], 'x is not an object'],
    ['object', 'a', 'x is not an object'],
    ['string', undefined, 'x is missing or not a string'],
    ['string', '', 'x is missing or not a string'],
    ['string', 7, 'x is missing or not a string'],
    ['optionalString', 7, 'x is missing or not a string'],
    ['optionalString', false, 'x is missing or not a string'],
    ['id', undefined, 'x is missing or not a string'],
    ['id', '../br-1', 'x is not a valid ID'],
    ['id', 'br-1/', 'x is not a valid ID'],
    ['id', 'br 1', 'x is not a valid ID'],
    ['id', 'a'.repeat(65), 'x is not a valid ID'],
    ['list', undefined, 'x is not a list'],
    ['list', { length: 0 }, 'x is not a list'],
    ['list', ['a', 7], 'x[1] is missing or not a string'],
    ['optionalList', false, 'x is not a list'],
    ['optionalList', '', 'x is not a list'],
  ])('read as %s: %j is rejected, and the error names its place', (kind, value, message) => {
    expect(() => read[kind](value)).toThrow(ShapeError);
    expect(() => read[kind](value)).toThrow(new RegExp(`^${message.replaceAll(/[[\]]/g, '\\$&')}$`));
  });
});
