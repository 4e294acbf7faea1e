/** What a tab shows is in its parameters: they are kept between starts. */
import { app } from '../../state/app.svelte.ts';
import type { Tab } from '../../state/tabs.svelte.ts';

/** Sets parameters of a tab; an empty one is taken away. */
export function setParams(tab: Tab, changed: Readonly<Record<string, string>>): void {
  // A view that was left knows the tab as it was then.
  const { params } = app.tabs.list.find(({ id }) => id === tab.id) ?? tab;
  const all = Object.entries({ ...params, ...changed });
  app.tabs.update(tab.id, { params: Object.fromEntries(all.filter(([, value]) => value !== '')) });
}

/** Sets one parameter of a tab; empty takes it away. */
export function setParam(tab: Tab, key: string, value: string): void {
  setParams(tab, { [key]: value });
}
