import { Menu } from 'electron';
import type { Shortcuts } from '../shared/shortcuts.ts';
import { menuTemplate } from './menu-template.ts';

/**
 * The application menu; every item sends its command to the window. The returned function shows the menu with these
 * keys, and does nothing if they are unchanged.
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
