/** Scroll positions of tabs that are kept between starts. */
import { expect, test } from 'vitest';
import { app } from '../../renderer/state/app.svelte.ts';

test('a filter set before the tabs are restored does not replace the places of other tabs', () => {
  const kept = () => app.keptPlace('early', 'list.spans');
  app.tabs.isRestored = false;
  app.keepPlace('early', 'list.spans', { narrow: 'x' });
  expect(kept()).toBeUndefined();
  app.tabs.isRestored = true;
  app.keepPlace('early', 'list.spans', { narrow: 'x' });
  expect(kept()).toEqual({ narrow: 'x' });
  app.keepPlace('early', 'list.spans', null);
  expect(kept()).toBeUndefined();
});
