/** Recently opened and starred subjects are unique, limited in number, and read only from valid stored values. */
import { expect, test } from 'vitest';
import { aboutOf, type Tab } from '../../renderer/lib/tab-kinds.ts';
import { RecentsState } from '../../renderer/state/recents.svelte.ts';
import { ViewStateStorage } from '../../renderer/state/view-state-storage.ts';

const tab = (kind: Tab['kind'], title: string, params: Record<string, string> = {}): Tab => ({
  id: `${kind} ${title}`,
  kind,
  title,
  params,
});

async function recentsOf(stored: Record<string, unknown> = {}) {
  const keep = new ViewStateStorage({ read: async () => stored, write: async () => undefined });
  await keep.load('c');
  const recents = new RecentsState(keep);
  recents.load();
  return { keep, recents };
}

test('a subject is listed once, with its newest title and newest first; lists of a section are left out', async () => {
  const { recents } = await recentsOf();
  recents.note(tab('dataset', 'Edge cases', { datasetId: 'd1' }), 1);
  recents.note(tab('catalog', 'Catalog'), 2);
  recents.note(tab('catalog', 'Support assistant', { applicationId: 'a1' }), 3);
  recents.note(tab('dataset', 'Edge cases, renamed', { datasetId: 'd1', part: 'scores' }), 4);
  expect(recents.list.map(({ title }) => title)).toEqual(['Edge cases, renamed', 'Support assistant']);
});

test('a starred subject stays after any number of others, even one that is not listed otherwise', async () => {
  const { keep, recents } = await recentsOf();
  recents.setStarred(tab('spans', 'Spans'), true, 1);
  for (let at = 0; at < 60; at += 1) recents.note(tab('dataset', `d${at}`, { datasetId: `d${at}` }), at + 2);
  expect(recents.list).toHaveLength(21);
  expect(recents.isStarred(tab('spans', 'Spans'))).toBe(true);
  const again = new RecentsState(keep);
  again.load();
  expect(again.list).toEqual(recents.list);
  again.setStarred(tab('spans', 'Spans'), false, 99);
  expect(again.isStarred(tab('spans', 'Spans'))).toBe(false);
});

test('a file in preparation is not listed as recent; each file has its own star', async () => {
  const { keep, recents } = await recentsOf();
  const [first, second] = ['one', 'two'].map((draft) => tab('upload', `${draft}.csv`, { draft }));
  if (first === undefined || second === undefined) throw new Error('Expected two files.');
  recents.note(first, 1);
  recents.note(tab('upload', 'sent.csv', { job: 'j' }), 2);
  expect(recents.list.map(({ title }) => title)).toEqual(['sent.csv']);
  recents.setStarred(first, true, 3);
  expect([recents.isStarred(first), recents.isStarred(second)]).toEqual([true, false]);
  // Entries of earlier versions.
  keep.set('recents', [...recents.list, { ...second, atMs: 4, isStarred: false }]);
  recents.load();
  expect(recents.list.map(({ title }) => title)).toEqual(['one.csv', 'sent.csv']);
});

test('unreadable stored values are left out', async () => {
  const { recents } = await recentsOf({
    recents: [
      {
        kind: 'dataset',
        title: 'Edge cases',
        params: { datasetId: 'd1', other: 5 },
        atMs: 1,
        isStarred: true,
      },
      { kind: 'no-such-kind', title: 'x', params: {}, atMs: 1 },
      { kind: 'dataset', title: 'x', params: null, atMs: 1 },
      'text',
    ],
  });
  expect(recents.list).toEqual([
    { kind: 'dataset', title: 'Edge cases', params: { datasetId: 'd1' }, atMs: 1, isStarred: true },
  ]);
});

test('the subject of a tab does not depend on how it is shown', () => {
  expect(aboutOf({ kind: 'dataset', params: { datasetId: 'd', part: 'a' } })).toBe(
    aboutOf({ kind: 'dataset', params: { part: 'b', datasetId: 'd' } }),
  );
  expect(aboutOf({ kind: 'catalog', params: { applicationId: 'a' } })).not.toBe(
    aboutOf({ kind: 'catalog', params: {} }),
  );
});
