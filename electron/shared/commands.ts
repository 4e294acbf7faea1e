/**
 * Commands as data: the menu, the palette, the shortcut sheet and the tests read this table; the window maps
 * each id to what it does. Keys are in the notation of tinykeys (`$mod` is Command on macOS, Control elsewhere).
 */
export const MENU_TITLES = { file: 'File', edit: 'Edit', view: 'View', help: 'Help' } as const;
export type MenuName = keyof typeof MENU_TITLES;

export interface CommandRow {
  id: string;
  title: string;
  keys: string | null;
  menu: MenuName | null;
}

export const COMMANDS = [
  { id: 'connection.new', title: 'Connect to a service…', keys: null, menu: 'file' },
  { id: 'connection.open-sample', title: 'Open sample workspace', keys: null, menu: 'file' },
  { id: 'uploads.choose', title: 'Upload events from a file…', keys: '$mod+KeyO', menu: 'file' },
  { id: 'view.refresh', title: 'Refresh', keys: '$mod+KeyR', menu: 'view' },
  { id: 'view.toggle-sidebar', title: 'Show or hide sidebar', keys: '$mod+KeyB', menu: 'view' },
  { id: 'view.toggle-inspector', title: 'Show or hide inspector', keys: '$mod+KeyI', menu: 'view' },
  { id: 'view.close-tab', title: 'Close tab', keys: '$mod+KeyW', menu: 'view' },
  { id: 'view.theme', title: 'Switch light and dark', keys: null, menu: 'view' },
  { id: 'view.work-offline', title: 'Work offline', keys: '$mod+Shift+KeyO', menu: 'view' },
  { id: 'go.catalog', title: 'Go to catalog', keys: '$mod+Digit1', menu: 'view' },
  { id: 'go.datasets', title: 'Go to datasets', keys: '$mod+Digit2', menu: 'view' },
  { id: 'go.uploads', title: 'Go to uploads', keys: '$mod+Digit3', menu: 'view' },
  { id: 'go.traffic', title: 'Go to traffic', keys: '$mod+Digit4', menu: 'view' },
  { id: 'palette.open', title: 'Search everything…', keys: '$mod+KeyK', menu: 'help' },
  { id: 'help.shortcuts', title: 'Keyboard shortcuts', keys: '?', menu: 'help' },
] as const satisfies readonly CommandRow[];

export type CommandId = (typeof COMMANDS)[number]['id'];
