import { MediaQuery } from 'svelte/reactivity';
import { app } from './app.svelte.ts';

const prefersDark = new MediaQuery('prefers-color-scheme: dark');
const prefersContrast = new MediaQuery('prefers-contrast: more');

export const theme = {
  /** Is the window dark right now, by choice or by the system? */
  get isDark(): boolean {
    return app.settings.theme === 'system' ? prefersDark.current : app.settings.theme === 'dark';
  },
  /** More contrast, by choice or by the system? */
  get hasMoreContrast(): boolean {
    const { contrast } = app.settings.all;
    return contrast === 'system' ? prefersContrast.current : contrast === 'more';
  },
  /** Switches to the other of the two. */
  toggle(): Promise<void> {
    return app.settings.set({ theme: theme.isDark ? 'light' : 'dark' });
  },
};
