/** What a tab shows is in its parameters: they are kept between starts. */
import { app } from '../../state/app.svelte.ts';
import type { Tab } from '../../state/tabs.svelte.ts';

/** Sets one parameter of a tab; empty takes it away. */
export function setParam(tab: Tab, key: string, value: string): void {
  const params = { ...tab.params, [key]: value };
  if (value === '') delete params[key];
  app.tabs.update(tab.id, { params });
}
