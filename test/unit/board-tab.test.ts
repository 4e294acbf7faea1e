/** The board of a tab is stored as a saved view. */
import { expect, test } from 'vitest';
import { app } from '../../renderer/state/app.svelte.ts';
import { BoardTab } from '../../renderer/views/monitoring/board/board-tab.svelte.ts';

test('changes of a standard board before the first is stored are of one view', () => {
  const tab = app.tabs.open('board', 'Card fraud', { board: 'model:m', projectId: 'p' });
  const board = new BoardTab(tab.id);
  const { id } = board.view([]);
  expect(board.view([]).id).toBe(id);
  app.tabs.update(tab.id, { params: { board: 'model:other', projectId: 'p' } });
  expect(board.view([])).toMatchObject({ params: { board: 'model:other' } });
  expect(board.view([]).id).not.toBe(id);
  app.tabs.update(tab.id, { params: { board: 'model:m', projectId: 'p' } });
  expect(board.view([]).id).toBe(id);
});

test('undoing a change of tiles keeps the time range and the star that were set since', async () => {
  const tab = app.tabs.open('board', 'Churn', { board: 'model:churn', projectId: 'p' });
  const board = new BoardTab(tab.id);
  const first = board.view([]);
  await app.views.put(first);
  await board.change('Removed a chart', []);
  const [changed] = app.views.list.filter(({ id }) => id === first.id);
  if (changed === undefined) throw new Error('The board is not saved.');
  await app.views.put({
    ...changed,
    isStarred: true,
    params: { ...changed.params, time: 'Last 90 days' },
  });
  const saved = () => app.views.list.find(({ id }) => id === first.id);
  await app.undoHistory.undo();
  expect(saved()).toMatchObject({ isStarred: true, params: { time: 'Last 90 days' } });
  await app.undoHistory.redo();
  expect(saved()).toMatchObject({ isStarred: true, params: { time: 'Last 90 days' } });
});
