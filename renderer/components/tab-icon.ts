/** The icon of a tab by its kind and subject. Provided by the workbench, used by lists of views. */
import type { Component } from 'svelte';
import { getContext, setContext } from 'svelte';
import type { Tab } from '../lib/tab-kinds.ts';

const KEY = Symbol('icon of a tab');
type IconOf = (tab: Pick<Tab, 'kind' | 'params'>) => Component<{ size?: number | string }>;

/** Provides `tabIcon` to the components below. Must be called during component initialization. */
export function provideTabIcon(iconOf: IconOf): void {
  setContext<IconOf>(KEY, iconOf);
}

/** The function that returns the icon of a tab. Must be called during component initialization, below the workbench. */
export function tabIcon(): IconOf {
  return getContext<IconOf>(KEY);
}
