/** Opens the outbox. */
import { app } from '../../state/app.svelte.ts';

/** Opens the list, with one change expanded if its id is given. */
export function openOutbox(entry?: string): void {
  const tab = app.tabs.open('outbox', 'Outbox');
  if (entry !== undefined) app.tabs.update(tab.id, { params: { ...tab.params, entry } });
}
