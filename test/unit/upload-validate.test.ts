import { describe, expect, test } from 'vitest';
import { type ModelFacts, readModelFacts } from '../../electron/shared/upload-columns.ts';
import type { ColumnPlan } from '../../electron/shared/upload-model.ts';
import type { SourceRow } from '../../electron/uploads/readers/row-source.ts';
import type { ReadingPlan } from '../../electron/uploads/validate/reading-plan.ts';
import { RowValidator } from '../../electron/uploads/validate/validate.ts';
import { BatchCounter } from '../../electron/uploads/worker/batch-producer.ts';

const model: ModelFacts | null = readModelFacts({
  id: 'm',
  schema: {
    columns: [
      { name: 'id', data_type: 'STR' },
      { name: 'at', data_type: 'timestamp' },
      { name: 'age', data_type: 'int', min: 18, max: 92 },
      { name: 'country', data_type: 'category', categories: ['France', 'Spain'] },
      { name: 'label', data_type: 'bool' },
    ],
  },
  event_id_col: 'id',
  event_ts_col: 'at',
  event_ts_format: null,
});
const column = (source: string, type: ColumnPlan['type'], target: string | null = source): ColumnPlan => ({
  source,
  target,
  type,
});
const plan = (changes: Partial<ReadingPlan> = {}): ReadingPlan => ({
  dialect: { format: 'csv', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
  columns: [
    column('id', 'str'),
    column('at', 'timestamp'),
    column('age', 'int'),
    column('country', 'category'),
  ],
  mode: 'publish',
  ...changes,
});
const HEADER = ['id', 'at', 'age', 'country'];
const row = (content: Partial<SourceRow>): SourceRow => ({
  row: 1,
  line: 2,
  nextLine: 3,
  byteStart: 0,
  byteEnd: 10,
  cells: null,
  record: null,
  problem: null,
  excerpt: null,
  ...content,
});
const cells = (...list: string[]) => row({ cells: list });

describe('conversion of rows to events', () => {
  test('columns are mapped to their fields, excluded ones are not', () => {
    const validator = new RowValidator(
      plan({ columns: [column('age', 'int', 'years'), column('id', 'str', null)] }),
      HEADER,
      null,
    );
    expect(validator.check(cells('a', '2024-01-01', '30', 'France'))).toEqual({
      json: '{"years":30}',
      ownId: null,
      isRepaired: false,
      isUnusual: false,
    });
  });

  test('id and time are required if they are mapped', () => {
    const validator = new RowValidator(plan(), HEADER, model);
    expect(validator.check(cells('a', '2024-01-01', '30', 'France'))).toEqual({
      json: '{"id":"a","at":"2024-01-01","age":30,"country":"France"}',
      ownId: 'a',
      isRepaired: false,
      isUnusual: false,
    });
    expect(validator.check(cells('', '2024-01-01', '30', 'France'))).toMatchObject({ bad: { column: 'id' } });
    expect(validator.check(cells('a', '', '30', 'France'))).toMatchObject({ bad: { column: 'at' } });
    expect(validator.check(cells('a', '2024-01-01', '', ''))).toMatchObject({ ownId: 'a' });
  });

  test('an unusual value without a fault becomes a note', () => {
    const validator = new RowValidator(plan(), HEADER, model);
    validator.check(cells('a', '1/2/24', '17', 'Norway'));
    validator.check(cells('b', '2024-01-01', '93', 'Spain'));
    expect(validator.notes()).toEqual([
      'Columns of the model without a value: label.',
      expect.stringContaining('month/day/year'),
      'at: times are written in 2 different ways.',
      'age: 2 values outside the model’s range of 18 to 92.',
      'country: 1 value not among the model’s categories, such as "Norway".',
    ]);
  });

  test('an empty cell of an update changes nothing; null in JSON does', () => {
    const columns = [column('id', 'str'), column('age', 'int')];
    const update = new RowValidator(plan({ columns, mode: 'update' }), ['id', 'age'], model);
    expect(update.check(cells('a', ''))).toMatchObject({ json: '{"id":"a"}' });
    expect(update.check(cells('', '3'))).toMatchObject({ bad: { column: 'id' } });
    const json = new RowValidator(plan({ columns, mode: 'update' }), null, model);
    expect(json.check(row({ record: { id: 'a', age: null } }))).toMatchObject({
      json: '{"id":"a","age":null}',
    });
  });

  test('keys without a column are counted, and left out', () => {
    const validator = new RowValidator(plan({ columns: [column('id', 'str')] }), null, null);
    validator.check(row({ line: 7, record: { id: 'a', extra: 1 } }));
    expect(validator.check(row({ record: { id: 'b', extra: 2 } }))).toMatchObject({ json: '{"id":"b"}' });
    expect(validator.ledger(plan({ columns: [column('id', 'str')] })).leftOut).toEqual([
      { kind: 'key', name: 'extra', count: 2, line: 7, reason: 'it is mapped to no field' },
    ]);
  });

  test('a model without column names is not compared', () => {
    expect(readModelFacts({ id: 'm' })).toBeNull();
    expect(readModelFacts('text')).toBeNull();
  });
});

test('batches are cut by rows and by bytes, and never empty', () => {
  const target = { modelId: '11111111-1111-4111-8111-111111111111', envType: 'PRODUCTION', envName: null };
  const count = (sizes: number[], limits: { maxRows: number; maxBytes: number }) => {
    const counter = new BatchCounter(limits, target);
    for (const size of sizes) counter.add(size);
    return counter.batches;
  };
  const ten = Array.from({ length: 10 }, () => 100);
  expect(count(ten, { maxRows: 3, maxBytes: 1e6 })).toBe(4);
  expect(count(ten, { maxRows: 100, maxBytes: 600 })).toBe(3);
  expect(count([5_000, 10, 5_000], { maxRows: 100, maxBytes: 600 })).toBe(3);
  expect(count([], { maxRows: 3, maxBytes: 100 })).toBe(0);
});
