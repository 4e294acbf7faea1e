/** Opens the window before other modules are loaded, so that its page loads at the same time as the engine. */
import { join } from 'node:path';
import type { BrowserWindow } from 'electron';
import { serveApp } from './platform/app-protocol.ts';
import { createFileLogger, type FileLogger } from './platform/logger.ts';
import { createMenu } from './platform/menu.ts';
import { PagesToPrint } from './platform/pages-to-print.ts';
import type { DataPaths } from './platform/paths.ts';
import { systemClock, systemRandom } from './platform/system.ts';
import { lockDownSession, openWindow } from './platform/window.ts';
import type { Shortcuts } from './shared/shortcuts.ts';

export interface FirstWindow {
  window: BrowserWindow;
  logger: FileLogger;
  pages: PagesToPrint;
  /** Shows the menu with these keyboard shortcuts. */
  showMenu: (shortcuts: Shortcuts) => void;
}

/** Actions of the menu. The application sets them, because it is loaded after the menu is shown. */
export interface MenuActs {
  /** The last command before the application was loaded; null if there was none. */
  early: string | null;
  command: (id: string) => void;
  quit: () => void;
}

interface FirstWindowDeps {
  /** Folder of the bundled scripts. */
  here: string;
  paths: DataPaths;
  acts: MenuActs;
}

/** Opens the window. Call it once, when the runtime is ready. The window is locked down before it loads anything. */
export function openFirstWindow({ here, paths, acts }: FirstWindowDeps): FirstWindow {
  lockDownSession();
  const logger = createFileLogger(paths.logsDir, systemClock);
  const pages = new PagesToPrint(systemRandom.uuid);
  serveApp(join(here, 'renderer'), pages);
  const showMenu = createMenu(
    process.platform,
    (id) => acts.command(id),
    () => acts.quit(),
  );
  // Set early, because the runtime would show its own menu until the settings are read.
  showMenu({});
  const window = openWindow({ preload: join(here, 'preload.cjs'), stateFile: paths.windowState, logger });
  return { window, logger, pages, showMenu };
}
