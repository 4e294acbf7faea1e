/** Tables in stores, which the process of an export reads from the file. */
import { describe, expect, test } from 'vitest';
import { openDatasetStore } from '../../electron/db/build-store.ts';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { openSnapshotStore } from '../../electron/db/snapshot-store.ts';
import { heldRows } from '../../electron/db/stored-tables.ts';
import type { HeldTable } from '../../electron/shared/export-model.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { aRequest } from '../helpers/traffic.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const clock = new VirtualClock();
const rowsOf = (file: string, table: HeldTable) => [...heldRows(file, table, Date.now())];

describe('the request log', () => {
  test('is read with its filter, oldest first, over more rows than one read; it contains no body', () => {
    using folder = new DataFolder();
    const file = folder.file('library.db');
    const store = openLibraryStore({ file, clock, logger: silentLogger });
    for (let at = 0; at < 1_203; at += 1)
      store.requestLog.add(
        aRequest({
          ...{ id: `r${at}`, status: at % 2 === 0 ? 200 : 500, body: '{"secret":1}' },
          ...{ startedAtMs: 1_000, atMs: 3_000 },
        }),
      );
    const all = rowsOf(file, { form: 'requests', filter: {} });
    expect(all.map(({ id }) => id)).toEqual(Array.from({ length: 1_203 }, (_, at) => `r${at}`));
    expect(all[0]).toMatchObject({ started_at: '1970-01-01T00:00:01.000Z', status: 200 });
    expect(JSON.stringify(all)).not.toContain('secret');
    const failed = rowsOf(file, { form: 'requests', filter: { statusClass: 'server-error' } });
    expect(failed).toHaveLength(601);
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set([500]));
    store.close();
  });
});

describe('spans of a build that were not found', () => {
  test('are those alone, including the ones excluded for that reason, in the order of selection', () => {
    using folder = new DataFolder();
    const file = folder.file('datasets.db');
    const store = openDatasetStore({ file, clock, logger: silentLogger });
    const span = (at: number) => ({
      ...{ trace_id: `t${at}`, span_id: `s${at}`, startMs: at, startTime: '2026-01-01T00:00:00Z' },
      ...{ name: `span ${at}`, spanType: 'llm', keys: null, record: null, state: 'unsent' as const },
    });
    store.spans.add(
      'build',
      0,
      Array.from({ length: 1_200 }, (_, at) => span(at)),
    );
    const message = 'No such span.';
    for (let at = 0; at < 1_200; at += 2)
      store.spans.change('build', at, { state: at === 2 ? 'excluded' : 'unresolved', batch: null, message });
    store.spans.change('build', 1, { state: 'excluded', batch: null });
    const rows = rowsOf(file, { form: 'not-found', buildId: 'build' });
    expect(rows).toHaveLength(600);
    expect(rows.slice(0, 2)).toEqual([
      {
        ...{ trace_id: 't0', span_id: 's0', start_time: '2026-01-01T00:00:00Z', name: 'span 0' },
        ...{ span_type: 'llm', state: 'unresolved', message },
      },
      expect.objectContaining({ span_id: 's2', state: 'excluded' }),
    ]);
    expect(rowsOf(file, { form: 'not-found', buildId: 'another' })).toEqual([]);
    store.close();
  });
});

describe('the spans of a basket', () => {
  test('are the selected records, in the order of selection; some have only their identity', () => {
    using folder = new DataFolder();
    const file = folder.file('datasets.db');
    const store = openDatasetStore({ file, clock, logger: silentLogger });
    const span = (at: number) => ({
      ...{ trace_id: `t${at}`, span_id: `s${at}`, startMs: at, startTime: '2026-01-01T00:00:00Z' },
      ...{
        name: `span ${at}`,
        spanType: 'llm',
        state: at === 3 ? ('excluded' as const) : ('unsent' as const),
      },
      ...(at % 2 === 0
        ? { keys: ['a'], record: `{"trace_id":"t${at}","n":9007199254740993}` }
        : { keys: null, record: null }),
    });
    store.spans.add(
      'build',
      0,
      Array.from({ length: 123 }, (_, at) => span(at)),
    );
    const rows = rowsOf(file, { form: 'picked', buildId: 'build' });
    expect(rows.map((row) => row['trace_id'])).toEqual(Array.from({ length: 123 }, (_, at) => `t${at}`));
    expect(rows[0]).toEqual({ trace_id: 't0', n: expect.objectContaining({ digits: '9007199254740993' }) });
    expect(rows[1]).toEqual({
      ...{ trace_id: 't1', span_id: 's1', start_time: '2026-01-01T00:00:00Z' },
      ...{ name: 'span 1', span_type: 'llm' },
    });
    store.close();
  });
});

describe('differences between two versions', () => {
  test('are each changed item before and after, with its exact digits', () => {
    using folder = new DataFolder();
    const file = folder.file('snapshots.db');
    const store = openSnapshotStore({ file, clock, logger: silentLogger });
    const take = (items: readonly string[]) => {
      const listed = items.map((json) => ({ identity: String(JSON.parse(json).id), json }));
      return store.take('d', listed, listed.length, 1)?.snapshotId ?? 0;
    };
    const from = take(['{"id":"a","inputs":{"n":9007199254740993}}', '{"id":"b","inputs":{"n":1}}']);
    const to = take(['{"id":"a","inputs":{"n":9007199254740995}}', '{"id":"c","inputs":{"n":3}}']);
    const rows = rowsOf(file, { form: 'changes', from, to, kind: null });
    expect(rows.map(({ change, item_id: id, fields }) => [change, id, fields])).toEqual([
      ['changed', 'a', ['inputs.n']],
      ['added', 'c', []],
      ['removed', 'b', []],
    ]);
    expect(rows[0]).toMatchObject({
      before: { inputs: { n: { digits: '9007199254740993' } } },
      after: { inputs: { n: { digits: '9007199254740995' } } },
    });
    expect(rowsOf(file, { form: 'changes', from, to, kind: 'added' })).toMatchObject([
      { before: null, after: { id: 'c' } },
    ]);
    expect(() => rowsOf(file, { form: 'changes', from, to: 99, kind: null })).toThrow(/no snapshot 99/);
    store.close();
  });
});
