/** JSON written by other programs: NaN and Infinity, repeated keys, texts of any characters. */
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { parseAnswerJson } from '../../electron/api/answer-json.ts';
import { writeExact } from '../../electron/shared/exact-json.ts';
import { doubledKeys, parseLenient } from '../../electron/shared/lenient-json.ts';
import type { UploadPlan } from '../../electron/shared/upload-model.ts';
import { ledgerLines } from '../../electron/shared/value-ledger.ts';
import { jsonRow } from '../../electron/uploads/readers/json-reader.ts';
import { scanFile } from '../../electron/uploads/validate/scan-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { readBack } from '../helpers/read-back.ts';
import { runs } from '../helpers/runs.ts';

const folder = new DataFolder();
afterAll(() => folder[Symbol.dispose]());

function write(content: string | Buffer): string {
  const path = folder.file('rows.jsonl');
  writeFileSync(path, content);
  return path;
}

async function check(content: string) {
  const path = write(content);
  const { preview, all } = await readBack(path);
  const plan: UploadPlan = {
    ...{ fileId: 'file', dialect: preview.dialect, modelId: '11111111-1111-4111-8111-111111111111' },
    ...{ modelName: 'Model', envType: 'PRODUCTION', envName: null, mode: 'publish', batchRows: 10 },
    columns: preview.columns.map(({ name, type }) => ({ source: name, target: name, type })),
    ...{ maxBatchBytes: 1_000_000, onBadRow: 'skip' },
  };
  const scan = await scanFile({ path, plan, model: null }, async () => undefined);
  return { scan, lines: ledgerLines(scan.ledger), preview, records: all.map(({ record }) => record) };
}

const WAYS: [string, (rows: string[]) => string][] = [
  ['lines', (rows) => `${rows.join('\n')}\n`],
  ['an array', (rows) => `[${rows.join(',\n')}]`],
];

describe.each(WAYS)('in %s', (_name, put) => {
  test('NaN and Infinity are missing values, each counted with its key and line', async () => {
    const rows = [
      '{"a":1.5,"b":"NaN"}',
      '{"a":NaN,"b":"x"}',
      '{"a": -Infinity ,"b":"y","c":{"d":[1,Infinity]}}',
    ];
    const { scan, lines, preview, records } = await check(put(rows));
    expect(scan.badRows).toBe(0);
    expect(records).toEqual([
      { a: 1.5, b: 'NaN' },
      { a: Number.NaN, b: 'x' },
      { a: Number.NEGATIVE_INFINITY, b: 'y', c: { d: [1, Number.POSITIVE_INFINITY] } },
    ]);
    expect(lines.join('\n')).toMatch(
      /^a: NaN or infinity read as no value, 2 values: NaN → no value \(line 2\), -Infinity → no value \(line 3\)\.$/m,
    );
    expect(lines.join('\n')).toContain('c: NaN or infinity read as no value, 1 value');
    const inside = await check(put(['{"v":[1,[NaN],-Infinity]}', '{"v":[[2],3]}', '{"v":[[NaN],3]}']));
    expect(inside.preview.columns).toMatchObject([{ type: 'json' }]);
    expect(inside.lines).toEqual([
      'v: NaN or infinity read as no value, 3 values: [1,[NaN],-Infinity] → [1,[null],null] (line 1), [[NaN],3] → [[null],3] (line 3).',
    ]);
    // A vector cannot contain a missing value.
    const vectors = await check(put(['{"v":[1,2,3]}', '{"v":[1,NaN,3]}', '{"v":[1,2,4]}']));
    expect(vectors.preview.columns).toMatchObject([{ type: 'vector' }]);
    expect([vectors.scan.rows, vectors.scan.badRows]).toEqual([3, 1]);
    expect(preview.notes.join('\n')).toContain('3 values written as NaN or Infinity');
  });

  test('a repeated key is reported with its line and both values', async () => {
    const rows = ['{"a":1,"b":"x"}', '{"a":1,"b":"x","a":2}', '{"a":3,"b":{"k":"one","k":"two"}}'];
    const { scan, lines, records } = await check(put(rows));
    expect(scan.badRows).toBe(0);
    expect(records[1]).toEqual({ a: 2, b: 'x' });
    expect(lines.join('\n')).toContain(
      'a: last of several values of one key taken, 1 value: 1 → 2 (line 2).',
    );
    expect(lines.join('\n')).toContain(
      'b.k: last of several values of one key taken, 1 value: one → two (line 3).',
    );
  });

  test('invalid JSON stays a bad row', async () => {
    const rows = ['{"a":1}', '{"a":NaNx}', '{"a":Infinit}', '{"a":nan}', '{"a":1}'];
    const { scan } = await check(put(rows));
    expect([scan.rows, scan.badRows]).toEqual([5, 3]);
  });

  test('line separators, lone surrogates and NUL characters in texts are kept', async () => {
    const note = 'a\u2028b\u2029c\u0085d';
    const rows = [`{"a":"${note}"}`, '{"a":"\\ud83d"}', '{"a":"x\\u0000y"}'];
    const { scan, records } = await check(put(rows));
    expect(scan.badRows).toBe(0);
    expect(records.map((record) => record?.['a'])).toEqual([note, '\ud83d', 'x\u0000y']);
  });
});

test('byte order marks between concatenated files are not part of a row', async () => {
  const { scan, records } = await check('\ufeff{"a":1}\n\ufeff{"a":2}\n{"a":3}\n');
  expect([scan.badRows, records]).toEqual([0, [{ a: 1 }, { a: 2 }, { a: 3 }]]);
});

test('a value with NaN or Infinity is the same value with null in their place', () => {
  const words = ['NaN', 'Infinity', '-Infinity'];
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.constantFrom(...words), { minLength: 1 }), (value, used) => {
      let at = 0;
      const isSent = (part: unknown) => part === 0.5 || part === null;
      // Each 0.5 and each null is replaced by one of these words.
      const signed = JSON.stringify(value, (_key, part: unknown) => (isSent(part) ? '\u0001' : part));
      const text = signed.replaceAll('"\\u0001"', () => used[at++ % used.length] ?? 'NaN');
      const { value: read, oddities } = parseLenient(text);
      expect(JSON.parse(JSON.stringify(read))).toEqual(JSON.parse(signed.replaceAll('"\\u0001"', 'null')));
      expect(oddities).toHaveLength(at);
      expect(doubledKeys(text, read)).toEqual([]);
    }),
    { numRuns: runs(300) },
  );
});

test('repeated keys are found at any depth, and no others', () => {
  const key = fc.constantFrom('a', 'b', '"', 'x\\y', 'é', '');
  fc.assert(
    fc.property(fc.array(fc.tuple(key, fc.jsonValue()), { maxLength: 8 }), (members) => {
      const object = `{${members.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`).join(', ')}}`;
      const text = `{"outer":[1,${object}]}`;
      const again = members.length - new Set(members.map(([name]) => name)).size;
      expect(doubledKeys(text, JSON.parse(text))).toHaveLength(again);
    }),
    { numRuns: runs(300) },
  );
});

test('an answer lists the invalid numbers of each record; digits stay exact', () => {
  const text =
    '{"api_version":"3.0","kind":"PAGINATED","data":{"total":3,"items":[{"id":"a","n":NaN,"big":9007199254740993},{"id":"b","n":1},{"id":"c","deep":{"list":[1,-Infinity]}}]}}';
  expect(writeExact(parseAnswerJson(text))).toBe(
    '{"api_version":"3.0","kind":"PAGINATED","data":{"total":3,"items":[{"id":"a","n":null,"big":9007199254740993,"not_finite":"n: NaN"},{"id":"b","n":1},{"id":"c","deep":{"list":[1,null]},"not_finite":"deep.list.1: -Infinity"}]}}',
  );
  expect(parseAnswerJson('{"data":{"id":"a","n":NaN}}')).toEqual({
    data: { id: 'a', n: null, not_finite: 'n: NaN' },
  });
  expect(parseAnswerJson('[{"n":Infinity}]')).toEqual([{ n: null, not_finite: 'n: Infinity' }]);
  expect(() => parseAnswerJson('{"n":NaNa}')).toThrow(SyntaxError);
});

test.each([
  ['{"path":"C:\\dir"}', 'Bad escaped character at character 13 of the row'],
  ['{"a":1 "b":2}', "Expected ',' or '}' after property value at character 8 of the row"],
  ['{"a":', 'Unexpected end of JSON input'],
  ['abc', "Unexpected token 'a'"],
])('a syntax error is located in its row, which is not line 1 of the file: %s', (text, reason) => {
  expect(jsonRow(text).problem).toBe(`Expected a JSON object, got text that is not JSON (${reason}).`);
});
