/** When the keys that show the expiry of the token are read again. */
import { expect, test } from 'vitest';
import type { ListModel } from '../../renderer/state/list-state.svelte.ts';
import { TokenKey } from '../../renderer/state/token-key.svelte.ts';

test('reads the keys on each visit if they are stale, at once for another token, and always to the end', async () => {
  const refreshes: unknown[] = [];
  const list = {
    sample: () => [],
    query: {},
    open: async (_query: unknown, refresh: unknown) => void refreshes.push(refresh),
  };
  let lastFour = '';
  const key = new TokenKey(list as unknown as ListModel, () => lastFour);
  await key.open();
  expect(refreshes).toEqual([]);
  lastFour = 'x7Qa';
  await key.open();
  await key.open();
  lastFour = '-Zq8';
  await key.open();
  await key.open();
  expect(refreshes).toEqual(['if-stale', 'if-stale', 'always', 'if-stale']);
});
