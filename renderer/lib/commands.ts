/**
 * Commands and shortcuts as data. The ids and keys of COMMANDS come from the shared table (the menu reads it
 * too); the rest are the window's own. Menu events, the palette, key bindings and the `?` sheet go through here.
 */
import { COMMANDS, type CommandId, type CommandRow } from '../../electron/shared/commands.ts';

export interface Command {
  id: string;
  title: string;
  /** tinykeys notation, or null where there is no key. */
  keys: string | null;
  keywords: string;
  /** Opens a list: the focus follows into it. */
  leads: boolean;
  run: () => unknown;
}

const ROWS = 'density row height settings preferences';
/** Commands that only the window has. */
const WINDOW_COMMANDS = [
  { id: 'tabs.next', title: 'Next tab', keys: '$mod+PageDown', menu: null },
  { id: 'tabs.previous', title: 'Previous tab', keys: '$mod+PageUp', menu: null },
  { id: 'tabs.reopen', title: 'Reopen closed tab', keys: '$mod+Shift+KeyT', menu: null },
  {
    id: 'tabs.split',
    title: 'Open this tab on the other side',
    keys: '$mod+Backslash',
    menu: null,
    keywords: 'split view side by side right left move two compare',
  },
  {
    id: 'tabs.other-side',
    title: 'Go to the other side',
    keys: '$mod+Shift+Backslash',
    menu: null,
    keywords: 'split focus right left',
  },
  {
    id: 'tabs.join',
    title: 'Join both sides',
    keys: '$mod+Shift+KeyJ',
    menu: null,
    keywords: 'split close unsplit one side',
  },
  { id: 'tabs.move-left', title: 'Move tab to the left', keys: '$mod+Shift+PageUp', menu: null },
  { id: 'tabs.move-right', title: 'Move tab to the right', keys: '$mod+Shift+PageDown', menu: null },
  {
    id: 'tabs.group',
    title: 'New group with this tab…',
    keys: null,
    menu: null,
    keywords: 'group tabs colour name fold',
  },
  {
    id: 'tabs.fold',
    title: 'Fold or unfold the group of this tab',
    keys: null,
    menu: null,
    keywords: 'group tabs collapse expand',
  },
  { id: 'panes.next', title: 'Next part of the window', keys: 'F6', menu: null },
  { id: 'panes.previous', title: 'Previous part of the window', keys: 'Shift+F6', menu: null },
  {
    id: 'tabs.star',
    title: 'Star this tab, or remove its star',
    keys: null,
    menu: null,
    keywords: 'favourite bookmark keep',
  },
  { id: 'alert-rules.new', title: 'New alert rule…', keys: null, menu: null, keywords: 'add create' },
  { id: 'charts.new', title: 'New chart…', keys: null, menu: null, keywords: 'add create metric query' },
  { id: 'datasets.new', title: 'New dataset…', keys: null, menu: null, keywords: 'add create' },
  {
    id: 'keep.new',
    title: 'Keep something offline…',
    keys: null,
    menu: null,
    keywords: 'download pin store cache available',
  },
  {
    id: 'view.theme-system',
    title: 'Follow the system appearance',
    keys: null,
    menu: null,
    keywords: 'theme automatic appearance settings preferences',
  },
  {
    id: 'view.contrast',
    title: 'Switch contrast',
    keys: null,
    menu: null,
    keywords: 'high more contrast accessibility',
  },
  { id: 'view.rows-compact', title: 'Compact rows', keys: null, menu: null, keywords: ROWS },
  { id: 'view.rows-default', title: 'Default rows', keys: null, menu: null, keywords: ROWS },
  { id: 'view.rows-comfortable', title: 'Comfortable rows', keys: null, menu: null, keywords: ROWS },
  { id: 'traffic.pause', title: 'Pause or resume all requests', keys: null, menu: null },
  {
    id: 'connection.edit',
    title: 'Edit this connection…',
    keys: null,
    menu: null,
    keywords: 'settings token proxy address read-only forget',
  },
] as const satisfies readonly CommandRow[];

type WindowCommandId = CommandId | (typeof WINDOW_COMMANDS)[number]['id'];
type SectionCommandId = Extract<WindowCommandId, `go.${string}`>;
export type Actions = Record<Exclude<WindowCommandId, SectionCommandId>, () => unknown>;

function isOfSection(id: WindowCommandId): id is SectionCommandId {
  return id.startsWith('go.');
}

/**
 * Joins the tables with what each command does; the compiler finds a command without an action. `openSection` opens a
 * line of the sidebar.
 */
export function buildCommands(actions: Actions, openSection: (id: string) => unknown): Command[] {
  return [...COMMANDS, ...WINDOW_COMMANDS].map((row) => {
    const { id, title, keys } = row;
    const leads = isOfSection(id);
    return {
      id,
      title,
      keys,
      keywords: 'keywords' in row ? row.keywords : '',
      leads,
      run: leads ? () => openSection(id.slice('go.'.length)) : actions[id],
    };
  });
}

export interface ShortcutGroup {
  title: string;
  rows: { keys: string[]; what: string }[];
}

/** Keys that belong to a part of the window rather than to a command. */
export const PART_SHORTCUTS: ShortcutGroup[] = [
  {
    title: 'Grid',
    rows: [
      { keys: ['/'], what: 'Filter the loaded rows' },
      { keys: ['F2'], what: 'Filter the column: text, >5, 1..3, is null' },
      { keys: ['F'], what: 'Next picture of a column, where profiles are shown' },
      { keys: ['↑', '↓', '←', '→'], what: 'Move' },
      { keys: ['Page Up', 'Page Down'], what: 'Move one page' },
      { keys: ['Home', 'End'], what: 'First and last column' },
      { keys: ['Ctrl', 'Home'], what: 'First row' },
      { keys: ['Ctrl', 'End'], what: 'Last row' },
      { keys: ['Shift', '↓'], what: 'Extend the selection' },
      { keys: ['Enter'], what: 'Open' },
      { keys: ['Ctrl', 'Enter'], what: 'Open on the other side' },
      { keys: ['Space'], what: 'Preview in the inspector' },
      { keys: ['Shift', 'F10'], what: 'Row menu: open, filter, copy' },
      { keys: ['Ctrl', 'C'], what: 'Copy the selection as a table' },
      { keys: ['Ctrl', 'A'], what: 'Select all loaded rows' },
    ],
  },
  {
    title: 'Search',
    rows: [
      { keys: ['↑', '↓'], what: 'Move' },
      { keys: ['Page Up', 'Page Down'], what: 'Group before and next group' },
      { keys: ['Space'], what: 'Preview in the inspector, after a move' },
      { keys: ['Enter'], what: 'Open' },
    ],
  },
  {
    title: 'Picked spans',
    rows: [
      { keys: ['X'], what: 'Pick the selected rows' },
      { keys: ['Ctrl', 'Z'], what: 'Undo picking or removing' },
      { keys: ['Ctrl', 'Shift', 'Z'], what: 'Redo it' },
      { keys: ['Delete'], what: 'Remove the selected rows, in the list of picked spans' },
      { keys: ['B'], what: 'Baskets: switch, new, rename, copy, delete' },
    ],
  },
  {
    title: 'Review',
    rows: [
      { keys: ['A'], what: 'Accept, and go on' },
      { keys: ['R'], what: 'Reject, and go on' },
      { keys: ['E'], what: 'Edit the expected output' },
      { keys: ['S'], what: 'Skip' },
      { keys: ['1', '…', '9'], what: 'Reject with this failure kind' },
      { keys: ['J', 'K'], what: 'Next or previous span' },
      { keys: ['N'], what: 'Note' },
      { keys: ['L'], what: 'Label' },
      { keys: ['G'], what: 'Group the notes' },
      { keys: ['='], what: 'Decide as its twin' },
      { keys: ['Z'], what: 'Undo; with Shift, redo' },
    ],
  },
  { title: 'Start', rows: [{ keys: ['1', '…', '9'], what: 'Open what waits' }] },
  {
    title: 'Settings',
    rows: [
      { keys: ['/'], what: 'Search settings' },
      { keys: ['↑', '↓'], what: 'Previous or next setting' },
      { keys: ['Space'], what: 'Switch, or go to the control' },
      { keys: ['Backspace'], what: 'Back to the default' },
    ],
  },
  {
    title: 'Traffic',
    rows: [
      { keys: ['Enter'], what: 'Open a request' },
      { keys: ['↑', '↓'], what: 'Previous or next request while one is open' },
      { keys: ['Esc'], what: 'Close the request' },
      { keys: ['/'], what: 'Find in requests' },
    ],
  },
  {
    title: 'Chart',
    rows: [
      { keys: ['←', '→'], what: 'Move through the times' },
      { keys: ['Page Up', 'Page Down'], what: 'Move by ten' },
      { keys: ['Home', 'End'], what: 'First and last time' },
      { keys: ['Enter'], what: 'Choose the time' },
      { keys: ['+'], what: 'Zoom in' },
      { keys: ['−'], what: 'Zoom out' },
      { keys: ['Shift', '←', '→'], what: 'Pan' },
      { keys: ['0'], what: 'Reset zoom' },
    ],
  },
  {
    title: 'Mapping of attribute keys',
    rows: [
      { keys: ['1', '2', '3', '4'], what: 'Add the key to a bucket, or remove it' },
      { keys: ['Space'], what: 'Choose several keys' },
      { keys: ['Delete'], what: 'Remove the key from every bucket' },
      { keys: ['Alt', '↑', '↓'], what: 'Move the field (in its name box)' },
      { keys: ['Ctrl', 'Delete'], what: 'Remove the field (in its name box)' },
      { keys: ['Ctrl', 'Z'], what: 'Undo; with Shift, redo' },
    ],
  },
  {
    title: 'Column header',
    rows: [
      { keys: ['Enter'], what: 'Sort' },
      { keys: ['Alt', '↓'], what: 'Open the column menu' },
      { keys: ['Shift', '←', '→'], what: 'Resize' },
      { keys: ['Alt', '←', '→'], what: 'Move the column' },
    ],
  },
];

/** Is the person typing? Single-key shortcuts stay silent then. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('input, textarea, select, [contenteditable="true"]');
}
