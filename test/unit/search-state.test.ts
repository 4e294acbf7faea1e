/** Results of the search view while lists change. */
import { expect, test } from 'vitest';
import { SearchState } from '../../renderer/state/search.svelte.ts';

const ASKED = { typed: 'refund', kind: null, applicationId: null, sinceMs: null, untilMs: null };

/** A main process that finds as many names as the text has letters, and twice as many spans. */
function searchOf() {
  const calls: { typed: string; kind: string | null; limit: number }[] = [];
  const invoke = (_: string, asked: (typeof calls)[number]) => {
    calls.push(asked);
    const count = asked.typed.length;
    const groups = [
      { kind: 'names', count, hits: [] },
      { kind: 'spans', count: 2 * count, hits: [] },
    ].filter(({ kind }) => asked.kind === null || kind === asked.kind);
    return Promise.resolve({ groups, rowsLeft: 0 });
  };
  const search = new SearchState('c', { invoke, on: () => () => undefined } as never);
  const counts = () => search.counts?.groups.map(({ count }) => count);
  return { search, calls, counts };
}

test('the counts of all kinds are those of the typed text, also while one kind is chosen', async () => {
  const { search, counts } = searchOf();
  search.ask({ ...ASKED, kind: 'names' });
  await expect.poll(counts).toEqual([6, 12]);
  expect(search.answer?.groups.map(({ count }) => count)).toEqual([6]);
  search.ask({ ...ASKED, kind: 'names', typed: 'a' });
  await expect.poll(counts).toEqual([1, 2]);
  search.ask({ ...ASKED, typed: 'ab' });
  await expect.poll(counts).toEqual([2, 4]);
  search.ask({ ...ASKED, typed: '' });
  expect(counts()).toBeUndefined();
});

test('hits are shown before the counts of all kinds, and without them if counting fails', async () => {
  const asked: (string | null)[] = [];
  const counting: PromiseWithResolvers<never>[] = [];
  const invoke = (_: string, { kind, typed }: { kind: string | null; typed: string }) => {
    asked.push(`${kind} ${typed}`);
    if (kind !== null)
      return Promise.resolve({ groups: [{ kind, count: typed.length, hits: [] }], rowsLeft: 0 });
    const latest = Promise.withResolvers<never>();
    counting.push(latest);
    return latest.promise;
  };
  const search = new SearchState('c', { invoke, on: () => () => undefined } as never);
  const shown = () => search.answer?.groups.map(({ count }) => count);
  search.ask({ ...ASKED, kind: 'names' });
  await expect.poll(shown).toEqual([6]);
  expect([search.isAsking, search.counts]).toEqual([false, null]);
  for (const typed of ['re', 'ref', 'refu']) {
    search.ask({ ...ASKED, kind: 'names', typed });
    await expect.poll(shown).toEqual([typed.length]);
  }
  // While kinds are counted for one text, only the newest of the later texts waits for its count.
  counting[0]?.reject(new Error('The index is being rebuilt.'));
  await expect.poll(() => counting.length).toBe(2);
  expect(asked.filter((each) => each?.startsWith('null'))).toEqual(['null refund', 'null refu']);
  counting[1]?.reject(new Error('The index is being rebuilt.'));
  await Promise.resolve();
  expect([shown(), search.error, search.counts]).toEqual([[4], null, null]);
});

test('no counts of an earlier text stand beside the hits of a new one', async () => {
  const counting: PromiseWithResolvers<{ groups: { count: number }[]; rowsLeft: number }>[] = [];
  const invoke = (_: string, { kind, typed }: { kind: string | null; typed: string }) => {
    if (kind !== null) return Promise.resolve({ groups: [{ count: typed.length, hits: [] }], rowsLeft: 0 });
    const latest = Promise.withResolvers<{ groups: { count: number }[]; rowsLeft: number }>();
    counting.push(latest);
    return latest.promise;
  };
  const search = new SearchState('c', { invoke, on: () => () => undefined } as never);
  search.ask({ ...ASKED, kind: 'names' });
  await expect.poll(() => counting.length).toBe(1);
  counting[0]?.resolve({ groups: [{ count: 9 }], rowsLeft: 0 });
  await expect.poll(() => search.counts?.groups[0]?.count).toBe(9);
  search.ask({ ...ASKED, kind: 'names', typed: 'ref' });
  await expect.poll(() => search.answer?.groups[0]?.count).toBe(3);
  expect(search.counts).toBeNull();
});

test('loaded hits stay while the period of the search moves with the clock', async () => {
  const { search, calls } = searchOf();
  const limits = () => calls.filter(({ kind }) => kind === 'names').map(({ limit }) => limit);
  const kind = 'names' as const;
  search.ask({ ...ASKED, typed: 'x'.repeat(150), kind, sinceMs: 1_000 });
  await expect.poll(limits).toEqual([50]);
  search.more();
  await expect.poll(limits).toEqual([50, 50, 50]);
  search.ask({ ...ASKED, typed: 'x'.repeat(150), kind, sinceMs: 61_000 });
  await expect.poll(limits).toEqual([50, 50, 50, 50, 50]);
  search.ask({ ...ASKED, typed: 'y'.repeat(150), kind, sinceMs: 61_000 });
  await expect.poll(limits).toEqual([50, 50, 50, 50, 50, 50]);
});

test('searches again when it is shown again: lists may have been stored meanwhile', async () => {
  let count = 135;
  const invoke = () => Promise.resolve({ groups: [{ count, hits: [] }], rowsLeft: 0 });
  const search = new SearchState('c', { invoke, on: () => () => undefined } as never);
  const shown = () => search.answer?.groups.map((group) => group.count);
  const leave = search.listen();
  search.ask(ASKED);
  await expect.poll(shown).toEqual([135]);
  leave();
  count = 251;
  search.listen();
  search.ask({ ...ASKED });
  await expect.poll(shown).toEqual([251]);
});
