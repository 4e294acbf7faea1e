/** Rows of a list that the upload views filter by typed text. */
import { expect, test } from 'vitest';
import { LibraryRows } from '../../renderer/state/uploads-library.svelte.ts';
import { numberedClient } from '../helpers/numbered-client.ts';

const MODELS = ['Bank churn', 'Card fraud'].map((name, position) => ({
  position,
  record: { id: name, name },
}));
const stateOf = (storedRows: number) => ({
  listKey: 'models',
  freshness: { storedRows, newestMs: storedRows, isComplete: storedRows > 0, refresh: { phase: 'idle' } },
});

test('shows the rows that are stored while text is typed and the list is being opened', async () => {
  const opened = Promise.withResolvers<void>();
  let stored: typeof MODELS = [];
  const { client, emit } = numberedClient(
    async (channel, argument: { window: { narrow: string | null } }) => {
      const rows = stored.filter(({ record }) => record.name.includes(argument.window?.narrow ?? ''));
      const page = { rows, matchingRows: rows.length };
      if (channel !== 'library:open-list') return page;
      const state = stateOf(stored.length);
      await opened.promise;
      return { state, page };
    },
  );
  const list = new LibraryRows('one', 'models.list', {}, client);
  const opening = list.open();
  await list.filter('Bank');
  expect(list.rows).toEqual([]);
  stored = MODELS;
  emit('library:list-changed', { connectionId: 'one', state: stateOf(2) });
  opened.resolve();
  await opening;
  expect(list.rows.map(({ name }) => name)).toEqual(['Bank churn']);
  expect(list.matchingRows).toBe(1);
});
