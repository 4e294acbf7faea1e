import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decode, encode, nodeBytes } from '../../build/chromium-host/codec.ts';

const through = (value: unknown): unknown => decode(encode(value, nodeBytes), nodeBytes);

const leaf = fc.oneof(
  fc.constant(undefined),
  fc.bigInt(),
  fc.double(),
  fc.date({ noInvalidDate: false }),
  fc.uint8Array(),
  fc.string({ unit: 'binary' }),
  fc.boolean(),
  fc.constant(null),
);
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('any')),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('$', 'v', '__proto__', 'toJSON')), tie('any')),
    fc.array(fc.tuple(fc.string(), tie('any'))).map((pairs) => new Map(pairs)),
    fc.array(tie('any')).map((items) => new Set(items)),
  ),
})).any;

describe('the codec of the Chromium host', () => {
  test('carries the values that structured clone carries', () => {
    fc.assert(
      fc.property(value, (sent) => {
        expect(through(sent)).toEqual(structuredClone(sent));
      }),
    );
  });

  test('distinguishes undefined, -0 and NaN from null and 0', () => {
    const came = through({ a: undefined, b: -0, c: Number.NaN }) as Record<string, unknown>;
    expect('a' in came).toBe(true);
    expect(Object.is(came['b'], -0)).toBe(true);
    expect(came['c']).toBeNaN();
  });

  test('rejects functions and symbols', () => {
    expect(() => encode({ call: () => 1 }, nodeBytes)).toThrow('could not be cloned');
    expect(() => encode(Symbol('s'), nodeBytes)).toThrow('could not be cloned');
  });

  test('an error keeps its name and message', () => {
    const came = through(new RangeError('too far'));
    expect(came).toBeInstanceOf(Error);
    expect(String(came)).toBe('RangeError: too far');
  });
});
