/** JSON that consists mostly of a list of short texts is read as by JSON.parse, even if it is damaged. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mayLose, parseExact } from '../../electron/shared/exact-json.ts';
import { takeTexts } from '../../electron/shared/short-texts.ts';
import { runs } from '../helpers/runs.ts';

/** The value, or that there is none because the text is invalid. */
function read(parse: (text: string) => unknown, text: string): unknown {
  try {
    return { value: parse(text) };
  } catch (problem) {
    return problem instanceof SyntaxError ? 'invalid' : problem;
  }
}

const odd = fc.oneof(
  fc.constantFrom('', ' ', 'é', '日本', '😀', '-', '\u2028', 'a"b', '\\', '\n', '\ufdd0'),
  fc.string({ maxLength: 14 }),
);
const ids = fc
  .tuple(
    fc.array(fc.nat({ max: 99_999_999 }).map(String), { minLength: 200, maxLength: 300 }),
    fc.array(fc.tuple(fc.nat({ max: 200 }), odd), { maxLength: 2 }),
  )
  .map(([plain, others]) => others.reduce((list, [at, text]) => list.toSpliced(at, 0, text), plain));
const around = fc.constantFrom<(list: unknown) => unknown>(
  (list) => list,
  (list) => ({ api_version: '3.0', kind: 'NORMAL', data: { event_ids: list } }),
  (list) => ({ data: { event_ids: list, job: null, count: 3, note: '["' } }),
  (list) => ({ note: '["1","2"]', data: { event_ids: list } }),
  (list) => ({ note: 'a["', data: { event_ids: list }, others: ['x', 'y'] }),
  (list) => ({ __proto__: null, list, total: 12 }),
  (list) => [list, 'x', '\ufdd0'],
);
const gap = fc.constantFrom('', ' ', '\n', '\r\n\t');
/** A list inside a text, as a key, in two places, or beside a number that a double cannot hold. */
const raw = fc.constantFrom(
  (list: string) => `{"__proto__":${list}}`,
  (list: string) => `{"ids":${list},"ids":["1"]}`,
  (list: string) => `{"ids":["1"],"ids":${list}}`,
  (list: string) => `{"note":"a[","]${list}"}`,
  (list: string) => `{"note":"a${list}"}`,
  (list: string) => `{"number":12345678901234567890,"ids":${list}}`,
  (list: string) => `{"note":"\\ufdd0","ids":${list}}`,
  (list: string) => `{"note":"\ufdd0","ids":${list}}`,
  (list: string) => `\ufeff${list}`,
  (list: string) => `{${list}:1}`,
  (list: string) => `{"a":2,${list} :1}`,
);
const damage = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  isNearEnd: fc.boolean(),
  drop: fc.nat({ max: 3 }),
  put: fc.constantFrom('', '"', ',', '[', ']', '{', '}', ' ', '\\', '\n', '\ufdd0', '["', '"]', '1', 'null'),
});

function damaged(
  text: string,
  { at, isNearEnd, drop, put }: typeof damage extends fc.Arbitrary<infer T> ? T : never,
) {
  const from = Math.floor(at * (isNearEnd ? 40 : text.length));
  const place = isNearEnd && at > 0.5 ? Math.max(0, text.length - from) : from;
  return text.slice(0, place) + put + text.slice(place + drop);
}

describe('JSON with a list of short texts', () => {
  it('has the same value as from JSON.parse, whole and damaged', () => {
    let taken = 0;
    fc.assert(
      fc.property(
        ids,
        fc.oneof(
          fc.tuple(around, gap).map(
            ([make, blank]) =>
              (list: string[]) =>
                JSON.stringify(make(list)).replaceAll('","', `"${blank},${blank}"`),
          ),
          raw.map((make) => (list: string[]) => make(JSON.stringify(list))),
        ),
        fc.array(damage, { maxLength: 2 }),
        (list, write, faults) => {
          const text = faults.reduce(damaged, write(list));
          if (takeTexts(text) !== null) taken += 1;
          if (mayLose(text)) return;
          expect(read(parseExact, text)).toEqual(read(JSON.parse, text));
        },
      ),
      { numRuns: runs(1_000) },
    );
    expect(taken).toBeGreaterThan(100);
  });

  it('is read without JSON.parse if it is the receipt of a service', () => {
    const event_ids = Array.from({ length: 1_000 }, (_, at) => `7-${at}`);
    const answer = { api_version: '3.0', kind: 'NORMAL', data: { event_ids } };
    const text = JSON.stringify(answer);
    expect(takeTexts(text)?.list).toEqual(event_ids);
    expect(parseExact(text)).toEqual(answer);
  });

  it('keeps all digits of a number beside the list', () => {
    const ids = Array.from({ length: 300 }, (_, at) => `id-${at}`);
    const text = `{"number":12345678901234567890,"ids":${JSON.stringify(ids)}}`;
    expect(JSON.stringify(parseExact(text))).toBe(text);
  });
});
