import { app } from '../../state/app.svelte.ts';

/** The list of changes of many records, one of them unfolded where its id is given. */
export function openChanges(bulkId: string | null = null): void {
  app.tabs.open('changes', 'Changes', bulkId === null ? {} : { bulk: bulkId });
}
