/** The way to the outbox. */
import { app } from '../../state/app.svelte.ts';

/** The list, with one change unfolded. */
export function openOutbox(entry?: string): void {
  const tab = app.tabs.open('outbox', 'Outbox');
  if (entry !== undefined) app.tabs.update(tab.id, { params: { ...tab.params, entry } });
}
