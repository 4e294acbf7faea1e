import { app } from '../../state/app.svelte.ts';

/** Opens the list of bulk changes, with one expanded if its id is given. */
export function openChanges(bulkId: string | null = null): void {
  app.tabs.open('changes', 'Changes', bulkId === null ? {} : { bulk: bulkId });
}
