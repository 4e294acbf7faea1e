/** Decimals with more digits than a double are numbers wherever other decimals are. */
import { expect, test } from 'vitest';
import { shownList } from '../../electron/cli/list-columns.ts';
import { fieldsOf } from '../../electron/core/search/documents.ts';
import { bucketSchema } from '../../electron/sample-service/handlers/datasets.ts';
import { exactNumber, parseExact } from '../../electron/shared/exact-json.ts';
import { timesOf } from '../../electron/shared/span-unit.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import { inferJsonType } from '../../electron/uploads/sniff/infer-types.ts';
import { tableOf } from '../../electron/uploads/unpack/json-tables.ts';
import type { ExportSubject } from '../../renderer/lib/export-words.ts';
import { viewField } from '../../renderer/lib/field-list.ts';
import { filterOfValue } from '../../renderer/lib/grid/typed-filter.ts';
import { describeFields, recordFacts } from '../../renderer/lib/inspect.ts';
import { modelColumns } from '../../renderer/lib/model-words.ts';
import { notebookCode } from '../../renderer/lib/notebook-code.ts';
import { withUnit } from '../../renderer/lib/read/units.ts';
import { profileRows } from '../../renderer/lib/row-profiles.ts';
import { spanColumns, spanWords } from '../../renderer/lib/span-columns.ts';

const rowOf = (json: string) => parseExact(json) as Record<string, unknown>;
const LONG = exactNumber('2.0000000000000001');
const LARGE_ID = exactNumber('12345678901234567890');

test('a list with one is a vector in a file', () => {
  const { v } = rowOf('{"v":[2.0000000000000001,0.5]}');
  expect(inferJsonType([v, [1, 2]])).toBe('vector');
  expect(inferJsonType([v, [1, 'a']])).toBe('json');
});

test('they are names of columns in a table of lists', () => {
  const table = rowOf('{"columns":["a",0.12345678901234567],"data":[[1,2],[3,4]]}');
  const found = tableOf(table, { keys: 2, inner: new Map(), isChosen: false });
  expect([...(found?.rows ?? [])][0]).toEqual({ a: 1, '0.12345678901234567': 2 });
});

test('a column of loaded rows with one is a column of numbers, and its bars count it', () => {
  const [profile] = profileRows([{ a: 1.5 }, { a: LONG }, { a: 3 }], ['a'], []);
  expect(profile?.kind).toBe('number');
  expect(profile?.bars.reduce((sum, { total }) => sum + total, 0)).toBe(3);
});

test('they have the unit of their name, and whole numbers beyond 2^53 keep their digits', () => {
  expect(withUnit('cost_usd', LONG)).toBe(withUnit('cost_usd', 2));
  expect(withUnit('total_tokens', LARGE_ID)).toBeNull();
  const { plain } = describeFields(rowOf('{"duration":2.0000000000000001}'), '', spanWords(1));
  expect(plain).toMatchObject([{ value: '2 ms', title: '2.0000000000000001' }]);
});

test('they are durations of spans', () => {
  const span = { span_type: 'llm', duration: LONG };
  expect(timesOf(span).duration).toBe(2);
  expect(recordFacts(span, spanWords(1))).toEqual(['llm', '2 ms']);
  expect(
    spanColumns([span], [])
      .find(({ id }) => id === 'duration')
      ?.write?.(LONG),
  ).toBe('2 ms');
  expect(shownList('spans.query', [{ ...span, name: 'a' }], null).rows[0]).toMatchObject({
    duration: '2 ms',
  });
});

test('they are times', () => {
  const seconds = exactNumber('1767225600.12345678901');
  expect(Math.trunc(parseTime(seconds) ?? 0)).toBe(1_767_225_600_123);
  expect(viewField(seconds, 'time').kind).toBe('time');
});

test('rows with the same value are found, but not with the same whole number beyond 2^53', () => {
  const how = { field: 'a', kind: 'number', excludes: false } as const;
  expect(filterOfValue(LONG, how)).toMatchObject({ kind: 'range', from: 2, to: 2 });
  expect(filterOfValue(LARGE_ID, how)).toBeNull();
});

test('a filter by one is part of the code for notebooks', () => {
  const filter = parseExact(
    '{"condition":"AND","rules":[{"field":"Span::duration","operator":"greater","value":2.0000000000000001}]}',
  );
  const subject: ExportSubject = {
    query: {
      operation: 'spans.query',
      path: {},
      query: {},
      body: { filter: filter as never },
    },
    ...{ narrow: null, filters: [], sort: null, name: 'Spans', noun: 'span', nouns: 'spans' },
    ...{ freshness: { source: 'none' } as never, shownRows: 3, ranges: [], selectedRows: 0, ticked: null },
    fields: [],
  };
  expect(notebookCode(subject, '/m')).toContain('axis_of("duration") > 2.0000000000000001');
});

test('they are the range of a column of a model', () => {
  const schema = { columns: [{ name: 'a', data_type: 'FLOAT', min: LONG, max: 5 }] };
  expect(modelColumns({ schema })[0]?.values).toBe('2 to 5');
});

test('the sample service gives them the type of numbers', () => {
  expect(bucketSchema([{ inputs: rowOf('{"a":2.0000000000000001}') }], 'inputs')).toEqual({
    a: { count: 1, data_type: 'FLOAT' },
  });
});

test('a search finds their digits, and not the name of a part of them', () => {
  const found = fieldsOf('items', rowOf('{"inputs":{"a":2.0000000000000001}}'));
  expect(found).toContainEqual({ field: 'inputs.a', text: '2.0000000000000001' });
  expect(found.map(({ text }) => text)).not.toContain('digits');
});
