/** Changes in the schema of new rows: each is reported once, and rows like the earlier ones are not reported. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ShapeCount } from '../../electron/core/snapshots/schema-shapes.ts';
import {
  acceptChange,
  type MappedKey,
  NO_SCHEMA,
  type SchemaState,
  watchSchema,
} from '../../electron/core/snapshots/schema-watch.ts';
import { type FieldShape, rowsWithValue, schemaChangeText } from '../../electron/shared/schema-model.ts';

type Row = Readonly<Record<string, string>>;
interface Batch {
  rows: readonly Row[];
  group?: string;
  /** Number of rows in a trace. */
  ofTrace?: number;
}

let clockMs = 0;
const counted = (...batches: readonly Batch[]): ShapeCount => {
  const count = new ShapeCount();
  for (const { rows, group = '', ofTrace = 1 } of batches)
    rows.forEach((row, at) => {
      clockMs += 1;
      count.add(row, `${group} ${clockMs - (at % ofTrace)}`, group, clockMs);
    });
  return count;
};
const times = (rows: number, row: (at: number) => Row): Batch => ({
  rows: Array.from({ length: rows }, (_, at) => row(at)),
});
const watch = (state: SchemaState, batch: ShapeCount, mapped: readonly MappedKey[] = []) =>
  watchSchema(state, batch, mapped, 7);
const first = (...batches: readonly Batch[]): SchemaState => watch(NO_SCHEMA, counted(...batches)).state;

const numbers = times(100, () => ({ price: 'number', name: 'string' }));
const texts = times(20, () => ({ price: 'string', name: 'string' }));

describe('a change of the schema', () => {
  test('of the type of a field is found, reported once, and over when values are as before', () => {
    const known = first(numbers);
    const { state, found } = watch(known, counted(texts));
    expect(found).toMatchObject([{ kind: 'type', path: 'price', state: 'open', noticedAtMs: 7 }]);
    expect(found.map(schemaChangeText)).toEqual(['from number to text in 20 new rows']);

    const again = watch(state, counted(texts));
    expect(again).toMatchObject({ found: [], ended: [], state: { open: [{ after: { rows: 40 } }] } });
    expect(watch(again.state, counted(numbers))).toMatchObject({
      found: [],
      ended: [{ path: 'price', state: 'over' }],
      state: { open: [] },
    });
  });

  test('of coverage is found if it fell clearly, in enough traces', () => {
    const known = first(times(100, (at): Row => (at < 95 ? { model: 'string' } : { other: 'string' })));
    const fifth = (at: number): Row => (at % 5 === 0 ? { model: 'string' } : { other: 'string' });
    const { found } = watch(known, counted(times(40, fifth)));
    expect(found).toMatchObject([{ kind: 'coverage', path: 'model' }]);
    expect(found.map(schemaChangeText)).toEqual([
      'a value in 95 % of the rows before, in 20 % of 40 new rows',
    ]);
    // 40 spans of two traces are not 40 independent spans.
    expect(watch(known, counted({ ...times(40, fifth), ofTrace: 20 })).found).toEqual([]);
    const eightyFive = (at: number): Row => (at % 7 > 0 ? { model: 'string' } : { other: 'string' });
    expect(watch(known, counted(times(40, eightyFive))).found).toEqual([]);
  });

  test('of the mix of span types is none', () => {
    const llm = { ...times(50, () => ({ model: 'string' })), group: 'llm' };
    const tool = { ...times(50, () => ({ tool: 'string' })), group: 'tool' };
    const { found } = watch(first(llm, tool), counted({ ...tool, rows: tool.rows.slice(0, 40) }));
    expect(found).toEqual([]);
  });

  test('that leaves a saved mapping without a value names the mapping, and only rows without any of its keys', () => {
    const llm = { ...times(50, () => ({ 'a.question': 'string', x: 'string' })), group: 'llm' };
    const tool = { ...times(50, () => ({ tool: 'string' })), group: 'tool' };
    const blind = { ...times(30, () => ({ x: 'string' })), group: 'llm' };
    const mapped = [{ mapping: 'QA pairs', paths: ['a.question', 'a.user.question'] }];
    const { found } = watch(first(llm, tool), counted(blind, tool), mapped);
    expect(found).toMatchObject([{ kind: 'blind', group: '', path: 'a.question', mappings: ['QA pairs'] }]);
    expect(found.map(schemaChangeText)).toEqual([
      'QA pairs: no value in 80 new rows, in 50 % of the rows before',
    ]);
    const renamed = { ...times(30, () => ({ 'a.user.question': 'string', x: 'string' })), group: 'llm' };
    expect(watch(first(llm, tool), counted(renamed, tool), mapped).found).toMatchObject([
      { kind: 'coverage' },
    ]);
  });

  test('that was accepted is the known schema', () => {
    const { state, found } = watch(first(numbers), counted(texts));
    const [change] = found;
    if (change === undefined) throw new Error('No change was found.');
    const accepted = acceptChange(state, change);
    expect(accepted.open).toEqual([]);
    expect(watch(accepted, counted(texts))).toMatchObject({ found: [], ended: [] });
    expect(watch(accepted, counted(numbers)).found).toMatchObject([{ kind: 'type', path: 'price' }]);
  });
});

const type = fc.constantFrom('string', 'number', 'boolean', 'null', 'array');
const name = fc.constantFrom('a', 'b', 'a.b', '__proto__', 'constructor');
const row = fc.dictionary(name, type, { maxKeys: 4 });
const rows = fc.array(row, { minLength: 1, maxLength: 40 });
const group = fc.constantFrom('', 'llm', '__proto__');

test('rows like the known ones are not reported, however they are divided and ordered', () => {
  fc.assert(
    fc.property(rows, group, fc.integer({ min: 1, max: 4 }), (given, of, parts) => {
      let state = first({ rows: given, group: of });
      for (let part = 0; part < parts; part += 1) {
        const { state: next, found } = watch(state, counted({ rows: given.toReversed(), group: of }));
        expect(found).toEqual([]);
        state = next;
      }
    }),
  );
});

test('every change is reported once, whatever happens in between, and is over when it is accepted', () => {
  fc.assert(
    fc.property(fc.array(rows, { minLength: 2, maxLength: 6 }), (batches) => {
      let state = NO_SCHEMA;
      for (const given of batches) {
        const before = state.open.map(({ path }) => path);
        const { state: next, found, ended } = watch(state, counted({ rows: given }));
        for (const { path } of found) expect(before).not.toContain(path);
        for (const { path } of ended) expect(before).toContain(path);
        const open = next.open.map(({ path }) => path);
        expect(new Set(open).size).toBe(open.length);
        for (const change of next.open) expect(acceptChange(next, change).open).toHaveLength(open.length - 1);
        state = next;
      }
    }),
  );
});

test('a field has at most as many values as rows', () => {
  const isSound = (field: FieldShape) => rowsWithValue(field) <= field.rows;
  fc.assert(
    fc.property(fc.array(rows, { minLength: 1, maxLength: 6 }), (batches) => {
      let state = NO_SCHEMA;
      for (const given of batches) ({ state } = watch(state, counted({ rows: given })));
      for (const { fields } of Object.values(state.known))
        for (const field of Object.values(fields)) expect(isSound(field)).toBe(true);
    }),
  );
});
