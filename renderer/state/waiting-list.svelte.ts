/** Everything in the active connection that waits for the user: one list, and its count. */
import { type Wait, waitCount, waitsOf } from '../lib/start-page.ts';
import { app } from './app.svelte.ts';
import { jobs } from './jobs.svelte.ts';
import { uploads } from './uploads.svelte.ts';

class Waits {
  readonly list: readonly Wait[] = $derived.by(() => {
    const titles = new Map(app.tabs.list.map(({ id, title }) => [id, title]));
    return waitsOf({
      jobs: jobs.list,
      files: uploads.waiting.map(({ draftId, file }) => ({ kind: 'file', id: draftId, name: file.name })),
      forms: app.drafts.list.flatMap(({ id, tabId, left, atMs }) => {
        const title = left?.title ?? titles.get(tabId);
        return title === undefined ? [] : [{ kind: 'form', id, title, atMs }];
      }),
      asksForToken: app.network.phaseOf(app.connections.activeId) === 'unauthorized',
    });
  });
  readonly count: number = $derived(waitCount(this.list));
}

export const waitingList = new Waits();
