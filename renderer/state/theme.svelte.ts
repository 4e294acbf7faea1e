import { MediaQuery } from 'svelte/reactivity';
import { app } from './app.svelte.ts';

const prefersDark = new MediaQuery('prefers-color-scheme: dark');
const prefersContrast = new MediaQuery('prefers-contrast: more');

export const theme = {
  /** Whether the window is dark now, by setting or by the system. */
  get isDark(): boolean {
    return app.settings.theme === 'system' ? prefersDark.current : app.settings.theme === 'dark';
  },
  /** Whether contrast is increased, by setting or by the system. */
  get hasMoreContrast(): boolean {
    const { contrast } = app.settings.all;
    return contrast === 'system' ? prefersContrast.current : contrast === 'more';
  },
  /** Switches between light and dark. */
  toggle(): Promise<void> {
    return app.settings.set({ theme: theme.isDark ? 'light' : 'dark' });
  },
};
