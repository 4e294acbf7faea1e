/** Opens the outbox. */
import { app } from '../../state/app.svelte.ts';

/** The list, with one change expanded. */
export function openOutbox(entry?: string): void {
  const tab = app.tabs.open('outbox', 'Outbox');
  if (entry !== undefined) app.tabs.update(tab.id, { params: { ...tab.params, entry } });
}
