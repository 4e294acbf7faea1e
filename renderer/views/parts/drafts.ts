/** Forms in tabs: input outlives the view, the tab and the window. */

import { tick } from 'svelte';
import type { FormModel } from '../../components/form/form-model.svelte.ts';
import { app } from '../../state/app.svelte.ts';
import type { Draftable } from '../../state/drafts.svelte.ts';

/** An editable object of a tab. `form` identifies it among all forms of the connection, e.g. `baselines.new`. */
export function draftOfTab<T extends Draftable>(
  tabId: string,
  name: string,
  form: string | (() => string),
  make: () => T,
): T {
  return app.tabs.hold(tabId, name, () => {
    const model = make();
    app.drafts.attach(tabId, typeof form === 'string' ? () => form : form, model);
    return model;
  });
}

/**
 * Leaves the view of a form, then empties the form, which outlives it. The other way round, both would happen in one
 * update, after which the effect that stores drafts is not run any more.
 */
export function leaveForm(leave: () => void, empty: () => void): void {
  leave();
  void tick().then(empty);
}

/** Discards the input of a form with its own tab: closes the tab, which can be undone. */
export function cancelForm(tabId: string, model: FormModel | null): void {
  const draft = app.drafts.list.find((each) => each.tabId === tabId && each.left === null) ?? null;
  const tab = app.tabs.list.find(({ id }) => id === tabId);
  if (model !== null) app.drafts.done(model);
  app.tabs.close(tabId);
  if (draft === null || tab === undefined) return;
  app.undoHistory.push(`Draft of “${tab.title}” discarded`, {
    undo: () => {
      const { kind, title, params } = tab;
      const left = { ...draft, left: { kind, title, params } };
      app.drafts.restore(left);
      app.openDraft(left);
    },
    redo: () => {
      const back = app.drafts.list.find(({ id }) => id === draft.id);
      if (back === undefined) return;
      app.drafts.discard(back.id);
      if (back.left === null) app.dropTab(back.tabId);
    },
  });
}
