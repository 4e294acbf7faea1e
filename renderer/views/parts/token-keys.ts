/** The expiry of the active connection's token, for the views that show it. */

import { app } from '../../state/app.svelte.ts';
import { TokenKey } from '../../state/token-key.svelte.ts';
import { listOfTab } from './tab-models.ts';

export function tokenKeyOfTab(tabId: string): TokenKey {
  return app.tabs.hold(
    tabId,
    'token key',
    () =>
      new TokenKey(listOfTab(tabId, 'token-keys'), () => app.connections.active?.tokenHint?.lastFour ?? ''),
  );
}
