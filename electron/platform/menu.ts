import { Menu, type MenuItemConstructorOptions } from 'electron';
import { COMMANDS, type CommandRow, keySign, MENU_TITLES, type MenuName } from '../shared/commands.ts';
import { type Shortcuts, withShortcuts } from '../shared/shortcuts.ts';

/**
 * The application menu, made of the command table; every item sends its command to the window. The function that it
 * answers shows the menu with these keys, and does nothing where it shows them already.
 */
export function createMenu(
  platform: NodeJS.Platform,
  send: (command: string) => void,
  quit: () => void,
): (shortcuts: Shortcuts) => void {
  let shownKeys = '';
  return (shortcuts) => {
    const keys = JSON.stringify(shortcuts);
    if (keys !== shownKeys) install(platform, shortcuts, send, quit);
    shownKeys = keys;
  };
}

function install(
  platform: NodeJS.Platform,
  shortcuts: Shortcuts,
  send: (command: string) => void,
  quit: () => void,
): void {
  const commands: CommandRow[] = withShortcuts<CommandRow>(COMMANDS, shortcuts);
  const menus = (Object.keys(MENU_TITLES) as MenuName[]).map((menu) => ({
    label: MENU_TITLES[menu],
    // There the system lists the windows in it.
    ...(menu === 'window' && platform === 'darwin' ? { role: 'window' as const } : {}),
    submenu: [
      ...commands.filter((command) => command.menu === menu).map((command) => item(command, send)),
      ...ROLES[menu].map(
        (role): MenuItemConstructorOptions =>
          role === null
            ? { type: 'separator' }
            : role === 'quit'
              ? { label: 'Quit', accelerator: 'CommandOrControl+Q', click: quit }
              : { role, ...ROLE_KEYS[role] },
      ),
    ],
  }));
  const template: MenuItemConstructorOptions[] =
    platform === 'darwin' ? [{ role: 'appMenu' }, ...menus] : menus;
  Menu.setApplicationMenu(Menu.buildFromTemplate(template));
}

type Role = NonNullable<MenuItemConstructorOptions['role']>;

const ROLES: Record<MenuName, (Role | null)[]> = {
  file: [null, 'close', 'quit'],
  edit: ['undo', 'redo', null, 'cut', 'copy', 'paste', 'selectAll'],
  view: [null, 'resetZoom', 'zoomIn', 'zoomOut', 'togglefullscreen', 'toggleDevTools'],
  window: [null, 'minimize', 'zoom'],
  help: [],
};

/** The usual key of `close` closes a tab here: it must never take the window with it. */
const ROLE_KEYS: Partial<Record<Role, MenuItemConstructorOptions>> = {
  close: { accelerator: 'CommandOrControl+Shift+W' },
};

function item(command: CommandRow, send: (command: string) => void): MenuItemConstructorOptions {
  return {
    label: command.title,
    ...(command.keys === null ? {} : { accelerator: accelerator(command.keys) }),
    // The window listens for the same keys itself; registering them here as well would run a command twice.
    registerAccelerator: false,
    click: () => send(command.id),
  };
}

/** `$mod+Shift+K` of the table in Electron's words. */
function accelerator(keys: string): string {
  return keys
    .split('+')
    .map((part) => (part === '$mod' ? 'CommandOrControl' : keySign(part)))
    .join('+');
}
