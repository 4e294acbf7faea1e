/** Forms in tabs, whose input survives the view, the tab and the window. */

import { tick } from 'svelte';
import type { FormModel } from '../../components/form/form-model.svelte.ts';
import { app } from '../../state/app.svelte.ts';
import type { Draftable } from '../../state/drafts.svelte.ts';

/**
 * An editable object that a tab keeps. `form` identifies it among all forms of the connection, e.g. `baselines.new`.
 */
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
 * Leaves the view of a form, then empties the form, which lives longer. In the other order, both changes would be one
 * update, after which the effect that stores drafts no longer runs.
 */
export function leaveForm(leave: () => void, empty: () => void): void {
  leave();
  void tick().then(empty);
}

/** Discards the input of a form that has its own tab, by closing the tab. Can be undone. */
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
