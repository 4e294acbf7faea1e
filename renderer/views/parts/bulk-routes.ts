import { app } from '../../state/app.svelte.ts';

/** Opens the list of changes of many records. If an id is given, that change is expanded. */
export function openChanges(bulkId: string | null = null): void {
  app.tabs.open('changes', 'Changes', bulkId === null ? {} : { bulk: bulkId });
}
