import { Menu } from 'electron';
import type { Shortcuts } from '../shared/shortcuts.ts';
import { menuTemplate } from './menu-template.ts';

/**
 * Creates the application menu, whose items send their commands to the window. The returned function shows the menu
 * with the given keys, and does nothing if they have not changed.
 */
export function createMenu(
  platform: NodeJS.Platform,
  send: (command: string) => void,
  quit: () => void,
): (shortcuts: Shortcuts) => void {
  let shownKeys = '';
  return (shortcuts) => {
    const keys = JSON.stringify(shortcuts);
    if (keys === shownKeys) return;
    shownKeys = keys;
    Menu.setApplicationMenu(Menu.buildFromTemplate(menuTemplate({ platform, shortcuts, send, quit })));
  };
}
