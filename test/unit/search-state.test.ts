/** Results of the search view while lists change. */
import { expect, test } from 'vitest';
import { SearchState } from '../../renderer/state/search.svelte.ts';

const ASKED = { typed: 'refund', kind: null, applicationId: null, sinceMs: null, untilMs: null };

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
