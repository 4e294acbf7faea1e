/** The icon of a tab by its kind and subject: provided by the workbench, used by lists of views. */
import type { Component } from 'svelte';
import { getContext, setContext } from 'svelte';
import type { Tab } from '../lib/tab-kinds.ts';

const KEY = Symbol('icon of a tab');
type IconOf = (tab: Pick<Tab, 'kind' | 'params'>) => Component<{ size?: number | string }>;

/** Call during component initialization. */
export function provideTabIcon(iconOf: IconOf): void {
  setContext<IconOf>(KEY, iconOf);
}

/** Call during component initialization, below the workbench. */
export function tabIcon(): IconOf {
  return getContext<IconOf>(KEY);
}
