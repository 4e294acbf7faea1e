/** While pages of a list of spans arrive, no grouping is computed again for each page. */
import { expect, test } from 'vitest';
import { type SpanSession, sessionSpan, spanSessions } from '../../electron/core/spans/sessions.ts';
import type { Generation } from '../../electron/db/library-rows.ts';
import type { ListReads } from '../../electron/db/list-reads.ts';
import type { RowOrders } from '../../electron/library/row-orders.ts';
import type { SessionQuery } from '../../electron/library/session-reader.ts';
import { SessionRows } from '../../electron/library/session-rows.ts';
import { Slices } from '../../electron/library/slices.ts';
import { systemClock } from '../../electron/platform/system.ts';

const sessions = (count: number) =>
  spanSessions(Array.from({ length: count }, (_, at) => sessionSpan({ session_id: `s-${at}` }, at)));

function rig() {
  const groupings: PromiseWithResolvers<SpanSession[]>[] = [];
  const queries: SessionQuery[] = [];
  const rows = new SessionRows({
    reads: { recordsFrom: () => [] } as unknown as ListReads,
    orders: {} as RowOrders,
    inThread: async (query) => {
      const grouping = Promise.withResolvers<SpanSession[]>();
      groupings.push(grouping);
      queries.push(query);
      return { sessions: await grouping.promise, removed: [], isAll: true, version: groupings.length };
    },
    slices: () => new Slices(systemClock),
  });
  const read = (revision: number, hasMoved = false) => {
    const generation = { id: 1, revision, sizeBytes: 1e9, frontPosition: revision, hasMoved } as Generation;
    return rows.read({ kind: 'own', generation }, null, {
      ...{ offset: 0, limit: 100, sort: { field: 'spans', isDescending: true }, narrow: null },
      groupBy: 'session',
      query: { operation: 'spans.query', path: {}, query: {} },
    });
  };
  return { groupings, queries, read };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('pages that arrive while sessions are grouped cause one further grouping, of the newest rows', async () => {
  const { groupings, read } = rig();
  const answers = [1, 2, 3, 4].map((revision) => read(revision));
  await turn();
  expect(groupings).toHaveLength(1);
  groupings[0]?.resolve(sessions(1));
  await turn();
  expect(groupings).toHaveLength(2);
  groupings[1]?.resolve(sessions(4));
  expect((await Promise.all(answers)).map(({ matchingRows }) => matchingRows)).toEqual([1, 4, 4, 4]);
});

test('a grouping after others knows the newest revision, and whether its rows have moved', async () => {
  const { groupings, queries, read } = rig();
  const answers = [read(1), read(2), read(3, true)];
  await turn();
  groupings[0]?.resolve([]);
  await turn();
  groupings[1]?.resolve([]);
  await Promise.all(answers);
  expect(queries).toEqual([
    { generationId: 1, frontPosition: 1, hasMoved: false, known: null },
    { generationId: 1, frontPosition: 3, hasMoved: true, known: 1 },
  ]);
});

test('a failed grouping does not prevent the next one', async () => {
  const { groupings, read } = rig();
  const failed = expect(read(1)).rejects.toThrow('out of memory');
  const next = read(2);
  await turn();
  groupings[0]?.reject(new Error('out of memory'));
  await failed;
  await turn();
  groupings[1]?.resolve(sessions(2));
  expect((await next).matchingRows).toBe(2);
});
