/** From attributes to items and back, for any attributes and any mapping. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bucketsOf,
  canonicalJson,
  coverageOf,
  firstDifference,
  fromWire,
  holdsKey,
  lacksAny,
  mappingProblems,
  mapSpan,
  toWire,
} from '../../electron/core/spans/span-mapping.ts';
import { BUCKETS, type Mapping } from '../../electron/shared/dataset-model.ts';

const name = fc.oneof(
  fc.constantFrom('question', 'answer', 'a.b', '', '__proto__', 'constructor', 'größe', 'x y'),
  fc.string({ maxLength: 8 }),
);
const bareKey = fc.constantFrom('gen_ai.llm.output', 'intent', 'cost', '__proto__', 'k');
const key = fc.oneof(
  bareKey,
  bareKey.map((text) => `user.${text}`),
  bareKey.map((text) => `system.${text}`),
);
const entry = fc.record({ bucket: fc.constantFrom(...BUCKETS), field: name, key });
const mapping: fc.Arbitrary<Mapping> = fc.array(entry, { maxLength: 12 });
const attributes = fc
  .array(fc.tuple(key, fc.jsonValue()), { maxLength: 10 })
  .map((pairs) => Object.fromEntries(pairs));
const sound = (candidate: Mapping) => mappingProblems(candidate).length === 0;

describe('the item of a span', () => {
  test('has exactly the mapped fields whose key is present, each with the value of its key', () => {
    fc.assert(
      fc.property(attributes, mapping, (given, wanted) => {
        const { item, missing } = mapSpan(given, wanted);
        wanted.forEach(({ bucket, field, key: asked }, index) => {
          const isMissing = missing.includes(index);
          expect(isMissing).toBe(!holdsKey(new Set(Object.keys(given)), asked));
          if (isMissing) return;
          expect(Object.hasOwn(item[bucket], field)).toBe(true);
        });
        const places = new Set(wanted.map(({ bucket, field }) => `${bucket} ${field}`));
        const fields = BUCKETS.flatMap((bucket) =>
          Object.keys(item[bucket]).map((field) => `${bucket} ${field}`),
        );
        expect(fields.every((place) => places.has(place))).toBe(true);
      }),
    );
  });

  test('is the same whether the mapping is from the form or from the wire', () => {
    fc.assert(
      fc.property(attributes, mapping.filter(sound), (given, wanted) => {
        const again = fromWire(JSON.parse(JSON.stringify(toWire(wanted))));
        expect(again).toHaveLength(wanted.length);
        expect(firstDifference(mapSpan(given, again).item, mapSpan(given, wanted).item)).toBeNull();
      }),
    );
  });

  test('is the same after conversion to JSON and back, in any order of its keys', () => {
    fc.assert(
      fc.property(attributes, mapping, (given, wanted) => {
        const { item } = mapSpan(given, wanted);
        const reversed = Object.fromEntries(
          Object.entries(item).map(([bucket, fields]) => [
            bucket,
            Object.fromEntries(Object.entries(fields).toReversed()),
          ]),
        );
        expect(firstDifference(bucketsOf(JSON.parse(JSON.stringify(reversed))), item)).toBeNull();
      }),
    );
  });

  test('that differs in one value is reported with its position', () => {
    const one = mapSpan({ k: 1 }, [{ bucket: 'inputs', field: 'a', key: 'k' }]).item;
    expect(firstDifference(one, bucketsOf({ ...one, inputs: { a: 2 } }))).toBe('inputs.a');
    expect(firstDifference(one, bucketsOf({ ...one, extras: { b: null } }))).toBe('extras.b');
    expect(firstDifference(one, bucketsOf({ inputs: { a: 1 }, extras: null }))).toBeNull();
  });
});

describe('the text that identifies a content', () => {
  test('is the same for equal values and differs for others', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        const norm = (value: unknown) => JSON.parse(JSON.stringify(value));
        expect(canonicalJson(norm(one))).toBe(canonicalJson(one));
        let isEqual = true;
        try {
          expect(norm(one)).toStrictEqual(norm(other));
        } catch (problem) {
          if (!(problem instanceof Error)) throw problem;
          isEqual = false;
        }
        expect(isSame).toBe(isEqual);
      }),
    );
  });
});

describe('coverage of keys', () => {
  test('counts the same as mapping each span separately', () => {
    fc.assert(
      fc.property(fc.array(attributes, { maxLength: 20 }), mapping, (spans, wanted) => {
        const shapes = spans.map((given) => ({ keys: new Set(Object.keys(given)), spans: 1 }));
        const { coverage, spansWithMissing, spansWithoutInputs } = coverageOf(shapes, wanted);
        const mapped = spans.map((given) => mapSpan(given, wanted).missing);
        expect(coverage).toEqual(
          wanted.map((_, index) => ({
            present: mapped.filter((missing) => !missing.includes(index)).length,
            of: spans.length,
          })),
        );
        expect(spansWithMissing).toBe(mapped.filter((missing) => missing.length > 0).length);
        expect(shapes.filter(({ keys }) => lacksAny(keys, wanted)).length).toBe(spansWithMissing);
        const items = spans.map((given) => mapSpan(given, wanted));
        const isBare = (missing: readonly number[]) =>
          wanted.every(({ bucket }, index) => bucket !== 'inputs' || missing.includes(index));
        expect(spansWithoutInputs).toBe(items.filter(({ missing }) => isBare(missing)).length);
      }),
    );
  });
});

describe('problems of a mapping', () => {
  test('a mapping without problems names each field once and has inputs', () => {
    fc.assert(
      fc.property(mapping, (wanted) => {
        const places = wanted.map(({ bucket, field }) => `${bucket} ${field}`);
        const isSound =
          wanted.some(({ bucket }) => bucket === 'inputs') &&
          new Set(places).size === places.length &&
          wanted.every((one) => one.field !== '' && one.field !== '__proto__' && one.key !== '');
        expect(sound(wanted)).toBe(isSound);
      }),
    );
  });
});
