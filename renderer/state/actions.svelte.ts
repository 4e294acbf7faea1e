/** The action of each command in this window. */

import { client } from '../lib/client.ts';
import { type Actions, buildCommands, type Command } from '../lib/commands.ts';
import { enterView, stepPane } from '../lib/panes.ts';
import type { AppState } from './app.svelte.ts';
import { exporting } from './exporting.svelte.ts';
import { isPanelOpen, setPanelOpen } from './inspector-panel.ts';
import { lock } from './lock.svelte.ts';
import { mirroring } from './mirroring.svelte.ts';
import { refreshers } from './refreshers.ts';
import { tabActs } from './tab-acts.ts';
import { theme } from './theme.svelte.ts';
import { toast } from './toast.ts';
import { traffic } from './traffic.svelte.ts';

/** Maximum wait for the changes that are stored before the lock. */
const LOCK_AFTER_MS = 3_000;

export const isMac = navigator.userAgent.includes('Mac OS X');

interface ViewActions {
  chooseFiles: () => unknown;
  openPlace: (id: string) => unknown;
  newAlertRule: () => unknown;
  newChart: () => unknown;
  showFailedSpans: () => unknown;
  showSlowSpans: () => unknown;
  newDataset: () => unknown;
  deleteEvents: () => unknown;
  keepSomething: () => unknown;
}

export function createAppCommands(app: AppState, views: ViewActions): Command[] {
  const { tabs, settings } = app;
  /** The action does nothing while there is no connection. */
  const connected = (open: () => unknown) => () => (app.connections.active === null ? null : open());
  const actions: Actions = {
    'connection.new': () => app.newConnection(),
    'connection.edit': () => app.editConnection(),
    'connection.open-sample': () => app.openSample(),
    'pack.create': connected(() => {
      app.packDialog = 'create';
    }),
    'pack.open': () => {
      app.packDialog = 'open';
    },
    'uploads.choose': connected(views.chooseFiles),
    'list.export': connected(() => {
      if (!exporting.ask()) toast('Open a list with rows first, then export it.');
    }),
    'comparison.review': connected(() => tabActs.run('comparison.review')),
    'comparison.select': connected(() => tabActs.run('comparison.select')),
    'comparison.dataset': connected(() => tabActs.run('comparison.dataset')),
    'mirror.write': connected(() => mirroring.write()),
    'list.notebook': connected(() => mirroring.copyCode()),
    'views.list': connected(() => {
      app.views.dialog = { about: 'list' };
    }),
    'views.open-link': connected(() => {
      app.views.dialog = { about: 'link', text: '' };
    }),
    'view.refresh': () => refreshers.run(tabs.activeId),
    'view.toggle-sidebar': () => settings.set({ isSidebarOpen: !settings.isSidebarOpen }),
    'view.toggle-inspector': () => setPanelOpen(app, !isPanelOpen(app)),
    'view.close-tab': () => {
      if (tabs.activeId !== null) app.closeTab(tabs.activeId);
    },
    'view.theme': () => theme.toggle(),
    'view.privacy': () => settings.set({ privacy: !settings.all.privacy }),
    'view.work-offline': () => app.toggleOffline(),
    'alert-rules.new': connected(views.newAlertRule),
    'charts.new': connected(views.newChart),
    'spans.failed': connected(views.showFailedSpans),
    'spans.slow': connected(views.showSlowSpans),
    'experiments.compare': connected(() => views.openPlace('experiments')),
    'datasets.new': connected(views.newDataset),
    'events.delete': connected(views.deleteEvents),
    'keep.new': connected(views.keepSomething),
    'app.lock': async () => {
      if (lock.state?.isSet !== true) {
        lock.ask();
        return;
      }
      // The changes are on their way already. A store that is being updated answers late, and must not delay the lock.
      const late = new Promise<void>((resolve) => setTimeout(resolve, LOCK_AFTER_MS));
      await Promise.race([app.rememberAll(), late]);
      await lock.now();
    },
    'app.set-lock': () => lock.ask(),
    'palette.open': () => {
      app.isPaletteOpen = !app.isPaletteOpen;
    },
    'help.shortcuts': () => {
      app.isSheetOpen = !app.isSheetOpen;
    },
    'help.logs': () => client.invoke('app:open-logs'),
    'help.about': () => {
      app.isAboutOpen = true;
    },
    'view.theme-system': () => settings.set({ theme: 'system' }),
    'view.contrast': () => settings.set({ contrast: theme.hasMoreContrast ? 'usual' : 'more' }),
    'view.rows-compact': () => settings.set({ density: 'compact' }),
    'view.rows-default': () => settings.set({ density: 'default' }),
    'view.rows-comfortable': () => settings.set({ density: 'comfortable' }),
    'traffic.pause': () => (traffic.overview.isAllPaused ? traffic.resume(null) : traffic.pause(null)),
    'panes.next': () => stepPane(1),
    'panes.previous': () => stepPane(-1),
    'tabs.next': () => tabs.step(1),
    'tabs.previous': () => tabs.step(-1),
    'tabs.star': () => {
      const tab = tabs.active;
      if (tab === null || tab.kind === 'start') return;
      const isStarred = !app.recents.isStarred(tab);
      app.star(tab, isStarred);
      toast(isStarred ? `Starred “${tab.title}”. Home lists it.` : `Star removed from “${tab.title}”`);
    },
    'edit.undo': () => {
      if (app.undoHistory.list.length > 0) return app.undoHistory.undo();
      toast('Nothing to undo: nothing was closed, deleted or changed here.');
      return null;
    },
    'edit.redo': () => {
      if (app.undoHistory.undone.length > 0) return app.undoHistory.redo();
      toast('Nothing to redo: nothing was undone since the last action here.');
      return null;
    },
    'tabs.reopen': () => tabs.reopenClosed(),
    'tabs.split': async () => {
      const { activeId } = tabs;
      if (activeId === null || tabs.list.length < 2) {
        toast('Open a second tab first: two tabs can stand side by side.');
        return;
      }
      tabs.moveAcross(activeId);
      await enterView();
    },
    'tabs.other-side': async () => {
      if (tabs.besideId === null) return;
      tabs.activate(tabs.besideId);
      await enterView();
    },
    'tabs.back': async () => {
      tabs.goThrough(-1);
      await enterView();
    },
    'tabs.forward': async () => {
      tabs.goThrough(1);
      await enterView();
    },
    'tabs.join': async () => {
      if (tabs.besideId === null) return;
      tabs.join();
      await enterView();
    },
    'tabs.move-left': () => (tabs.activeId === null ? null : tabs.moveBy(tabs.activeId, -1)),
    'tabs.move-right': () => (tabs.activeId === null ? null : tabs.moveBy(tabs.activeId, 1)),
    'tabs.group': () => (tabs.active === null ? null : app.askGroup(tabs.active)),
    'tabs.fold': () => {
      const group = tabs.groups.find(({ id }) => id === tabs.active?.groupId);
      if (group === undefined) toast('This tab is in no group.');
      else tabs.setGroup({ ...group, isFolded: !group.isFolded });
    },
  };
  /**
   * The settings can be opened before the first connection exists, but not over the form for it: a typed token would be
   * lost.
   */
  const canOpen = (id: string) => app.connections.active !== null || (id === 'settings' && !app.isConnecting);
  return buildCommands(actions, (id) => (canOpen(id) ? views.openPlace(id) : null));
}
