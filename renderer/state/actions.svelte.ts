/** What each command of the table does in this window. */
import { buildCommands, type Command } from '../lib/commands.ts';
import { stepPane } from '../lib/panes.ts';
import type { AppState } from './app.svelte.ts';
import { refreshers } from './refreshers.ts';
import { theme } from './theme.svelte.ts';
import { traffic } from './traffic.svelte.ts';

export const isMac = navigator.userAgent.includes('Mac OS X');

export function createAppCommands(app: AppState, chooseFiles: () => unknown): Command[] {
  const { tabs, settings } = app;
  const go =
    (kind: 'catalog' | 'datasets' | 'uploads' | 'traffic' | 'attributes' | 'spans', title: string) => () =>
      app.connections.active === null ? null : tabs.openTop(kind, title);
  return buildCommands({
    'connection.new': () => app.newConnection(),
    'connection.edit': () => app.editConnection(),
    'connection.open-sample': () => app.openSample(),
    'uploads.choose': () => {
      if (app.connections.active !== null) chooseFiles();
    },
    'view.refresh': () => refreshers.run(tabs.activeId),
    'view.toggle-sidebar': () => settings.set({ isSidebarOpen: !settings.isSidebarOpen }),
    'view.toggle-inspector': () => settings.set({ isInspectorOpen: !settings.isInspectorOpen }),
    'view.close-tab': () => {
      if (tabs.activeId !== null) app.closeTab(tabs.activeId);
    },
    'view.theme': () => theme.toggle(),
    'view.work-offline': () => app.toggleOffline(),
    'go.catalog': go('catalog', 'Catalog'),
    'go.datasets': go('datasets', 'Datasets'),
    'go.uploads': go('uploads', 'Uploads'),
    'go.traffic': go('traffic', 'Traffic'),
    'go.attributes': go('attributes', 'Attributes'),
    'go.spans': go('spans', 'Spans'),
    'palette.open': () => {
      app.isPaletteOpen = !app.isPaletteOpen;
    },
    'help.shortcuts': () => {
      app.isSheetOpen = !app.isSheetOpen;
    },
    'view.theme-system': () => settings.set({ theme: 'system' }),
    'view.rows-compact': () => settings.set({ density: 'compact' }),
    'view.rows-default': () => settings.set({ density: 'default' }),
    'view.rows-comfortable': () => settings.set({ density: 'comfortable' }),
    'traffic.pause': () => (traffic.overview.isAllPaused ? traffic.resume(null) : traffic.pause(null)),
    'panes.next': () => stepPane(1),
    'panes.previous': () => stepPane(-1),
    'tabs.next': () => tabs.step(1),
    'tabs.previous': () => tabs.step(-1),
    'tabs.reopen': () => tabs.reopenClosed(),
  });
}
