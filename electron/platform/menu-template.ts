/** The application menu of a platform as data, built from the table of commands without Electron. */
import type { MenuItemConstructorOptions } from 'electron';
import { COMMANDS, type CommandRow, keySign, MENU_TITLES, type MenuName } from '../shared/commands.ts';
import { type Shortcuts, withShortcuts } from '../shared/shortcuts.ts';

type Item = MenuItemConstructorOptions;
type Role = NonNullable<Item['role']>;

interface MenuOf {
  platform: NodeJS.Platform;
  shortcuts: Shortcuts;
  /** Sends a command to the window. */
  send: (command: string) => void;
  /** Quits; asks first if jobs would stop. */
  quit: () => void;
}

const SETTINGS = 'go.settings';
const SEPARATOR: Item = { type: 'separator' };

/**
 * Builds the menu. Every item sends its command to the window, except those for editing, zoom and windows, which are
 * roles of Electron.
 */
export function menuTemplate(of: MenuOf): Item[] {
  const isMac = of.platform === 'darwin';
  const commands: CommandRow[] = withShortcuts<CommandRow>(COMMANDS, of.shortcuts);
  const itemOf = (command: CommandRow) => commandItem(command, of);
  const menus = (Object.keys(MENU_TITLES) as MenuName[]).map(
    (menu): Item => ({
      label: MENU_TITLES[menu],
      // The roles let macOS list windows in the window menu, and add its search field to the help menu.
      ...(isMac && (menu === 'window' || menu === 'help') ? { role: menu } : {}),
      submenu: [
        // On macOS the settings are in the application menu.
        ...commands.filter(({ id, menu: own }) => own === menu && !(isMac && id === SETTINGS)).map(itemOf),
        ...ownItems(menu, of),
      ],
    }),
  );
  if (!isMac) return menus;
  return [{ label: 'Spandeck', submenu: appItems(commands, of) }, ...menus];
}

/** Items of a menu in addition to the commands of the table. */
function ownItems(menu: MenuName, { platform, quit }: MenuOf): Item[] {
  const isMac = platform === 'darwin';
  const roles = (...names: Role[]): Item[] => names.map((role) => ({ role }));
  switch (menu) {
    case 'file':
      return [
        SEPARATOR,
        // The usual key of the role `close` closes a tab in Spandeck, so it must not close the window.
        { role: 'close', accelerator: 'CommandOrControl+Shift+W' },
        ...(isMac ? [] : [quitItem('Quit', quit)]),
      ];
    case 'edit':
      return [...roles('undo', 'redo'), SEPARATOR, ...roles('cut', 'copy', 'paste', 'selectAll')];
    case 'view':
      return [
        SEPARATOR,
        ...roles('resetZoom', 'zoomIn', 'zoomOut'),
        // The role itself accepts only Control and Plus, which needs Shift on most keyboards and does not include the
        // number pad.
        ...ZOOM_KEYS.map(([role, accelerator]): Item => ({ role, accelerator, visible: false })),
        ...roles('togglefullscreen', 'toggleDevTools'),
      ];
    case 'window':
      // The role `zoom` exists only on macOS.
      return [SEPARATOR, ...roles('minimize'), ...(isMac ? roles('zoom') : [])];
    case 'help':
      return [];
  }
}

const ZOOM_KEYS: readonly (readonly [Role, string])[] = [
  ['zoomIn', 'CommandOrControl+='],
  ['zoomIn', 'CommandOrControl+numadd'],
  ['zoomOut', 'CommandOrControl+numsub'],
  ['resetZoom', 'CommandOrControl+num0'],
];

/** The first menu on macOS. Its `quit` item is not the role, which would end the application without asking. */
function appItems(commands: readonly CommandRow[], of: MenuOf): Item[] {
  return [
    { role: 'about' },
    SEPARATOR,
    ...commands
      .filter(({ id }) => id === SETTINGS)
      .map((command) => ({ ...commandItem(command, of), label: `${command.title}…` })),
    SEPARATOR,
    { role: 'services' },
    SEPARATOR,
    { role: 'hide' },
    { role: 'hideOthers' },
    { role: 'unhide' },
    SEPARATOR,
    quitItem('Quit Spandeck', of.quit),
  ];
}

const quitItem = (label: string, quit: () => void): Item => ({
  label,
  accelerator: 'CommandOrControl+Q',
  click: quit,
});

function commandItem({ id, title, keys }: CommandRow, { platform, send }: MenuOf): Item {
  const shown = keys === null || (platform === 'darwin' && isTyped(keys)) ? null : keys;
  return {
    label: title,
    ...(shown === null ? {} : { accelerator: accelerator(shown) }),
    // The window listens for the same keys, so registering them here as well would run a command twice.
    registerAccelerator: false,
    click: () => send(id),
  };
}

/**
 * Whether keys are typed in a text field, e.g. `?`. They are not shown in the menu on macOS, because
 * `registerAccelerator` has no effect there and the menu would take the keys from the field.
 */
const isTyped = (keys: string): boolean => !/^(?:.*\+)?(?:\$mod|Control|Alt|Meta)\+|^F\d+$/.test(keys);

/** Converts keys of the table, such as `$mod+Shift+K`, to Electron's notation. */
function accelerator(keys: string): string {
  return keys
    .split('+')
    .map((part) => (part === '$mod' ? 'CommandOrControl' : keySign(part)))
    .join('+');
}
