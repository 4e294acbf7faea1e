import { app } from '../../state/app.svelte.ts';

/** Opens the settings that contain a text. */
export function openSettings(typed: string): void {
  const tab = app.tabs.open('settings', 'Settings');
  app.tabs.update(tab.id, { params: { ...tab.params, find: typed } });
}
