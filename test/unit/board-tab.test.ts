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
