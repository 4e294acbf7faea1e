/** An export of chosen rows fails if the list is refreshed while they are read. */
import { expect, test } from 'vitest';
import { createRowWriter } from '../../electron/analysis/export-client.ts';
import { analysisRequest } from '../../electron/analysis/protocol.ts';
import type { StartChild } from '../../electron/platform/child-process.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { exportOf, valuesOf } from '../helpers/export-rig.ts';

/** A fake engine that has written this number of rows. */
const writing =
  (rows: number): StartChild =>
  () => {
    let take: (message: unknown) => void = () => undefined;
    return {
      send: (message) => {
        const { id } = analysisRequest.parse(message);
        const result = { rows, columns: [], times: [], skipped: null, partitionedBy: null };
        queueMicrotask(() => take({ id, kind: 'done', result }));
      },
      onMessage: (next) => {
        take = next;
      },
      onEnd: () => undefined,
      kill: () => undefined,
    };
  };

/** Exports three chosen rows, of which `found` are still stored. */
function exported(found: number, mayHaveGaps = false) {
  const write = createRowWriter({
    ...{ sidecars: { file: async () => 'rows.duckdb' }, libraryFile: 'library.db' },
    ...{ startChild: writing(found), clock: systemClock },
  });
  const generation = { id: 1, listId: 1, revision: 1, rowCount: 9 };
  const rows = { generation, positions: Int32Array.of(1, 4, 7), count: 3, mayHaveGaps };
  const plan = exportOf({ query: valuesOf('one') });
  return write({ rows, plan, part: 'out.part' }, new AbortController().signal, () => undefined);
}

test('fewer rows than were chosen are a conflict', async () => {
  expect(await exported(3)).toMatchObject({ rows: 3 });
  await expect(exported(2)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining('refreshed while it was being exported'),
  });
});

test('a list with pages that were not read may have fewer rows', async () => {
  expect(await exported(2, true)).toMatchObject({ rows: 2 });
});
