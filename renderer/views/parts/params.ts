/** The state of a tab's view is stored between starts as parameters of the tab. */
import { app } from '../../state/app.svelte.ts';
import type { Tab } from '../../state/tabs.svelte.ts';

/** Sets parameters of a tab; an empty value removes one. */
export function setParams(tab: Tab, changed: Readonly<Record<string, string>>): void {
  // A view that was left has an outdated copy of its tab.
  const { params } = app.tabs.list.find(({ id }) => id === tab.id) ?? tab;
  const all = Object.entries({ ...params, ...changed });
  app.tabs.update(tab.id, { params: Object.fromEntries(all.filter(([, value]) => value !== '')) });
}

/** Sets one parameter of a tab; an empty value removes it. */
export function setParam(tab: Tab, key: string, value: string): void {
  setParams(tab, { [key]: value });
}
