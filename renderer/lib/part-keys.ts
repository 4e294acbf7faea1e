/**
 * Key bindings of parts of the window (other than commands) as data; the parts implement them. A key can be used in
 * several parts, but only once in each. Users can change these bindings.
 */
import { COMMANDS, type CommandId, type CommandRow } from '../../electron/shared/commands.ts';
import { type Shortcuts, withShortcuts } from '../../electron/shared/shortcuts.ts';
import { keyParts, keyText, splitKeys } from './keys.ts';

export const SCOPES = {
  everywhere: 'Everywhere',
  tabs: 'Tabs',
  grid: 'Grid',
  items: 'Items of a dataset',
  picked: 'Selected spans',
  json: 'JSON',
  review: 'Review',
  notes: 'Notes of a review',
  chart: 'Chart',
  mapping: 'Mapping of attribute keys',
  steps: 'Steps of an upload or a dataset',
  settings: 'Settings',
} as const;
export type Scope = keyof typeof SCOPES;

/** A key binding of any part. */
export interface KeyRow {
  id: string;
  title: string;
  scope: Scope;
  /** A letter or character as typed, or the name of a key, optionally with modifiers. Null if there is no key. */
  keys: string | null;
}

/** Letters are matched by the character typed, so they work on every keyboard layout. */
export const PART_ROWS = [
  { id: 'tabs.pin', scope: 'tabs', title: 'Pin or unpin', keys: 'P' },
  { id: 'tabs.close', scope: 'tabs', title: 'Close', keys: 'Delete' },
  { id: 'grid.narrow', scope: 'grid', title: 'Filter the loaded rows', keys: '/' },
  {
    id: 'grid.filter',
    scope: 'grid',
    title: 'Filter the column: text, >5, 1..3, is null',
    keys: 'F2',
  },
  {
    id: 'grid.picture',
    scope: 'grid',
    title: 'Next summary of a column, where profiles are shown',
    keys: 'F',
  },
  { id: 'grid.picture-back', scope: 'grid', title: 'Previous summary of a column', keys: 'Shift+F' },
  { id: 'grid.open', scope: 'grid', title: 'Open', keys: 'Enter' },
  { id: 'grid.open-beside', scope: 'grid', title: 'Open on the other side', keys: '$mod+Enter' },
  { id: 'grid.preview', scope: 'grid', title: 'Preview in the inspector', keys: 'Space' },
  { id: 'grid.pick', scope: 'grid', title: 'Select the highlighted rows', keys: 'X' },
  { id: 'grid.row-menu', scope: 'grid', title: 'Row menu: open, filter, copy', keys: 'Shift+F10' },
  { id: 'grid.column-menu', scope: 'grid', title: 'Column menu', keys: 'Alt+ArrowDown' },
  { id: 'grid.copy', scope: 'grid', title: 'Copy the selection as a table', keys: '$mod+C' },
  { id: 'grid.select-all', scope: 'grid', title: 'Select all loaded rows', keys: '$mod+A' },
  { id: 'items.edit', scope: 'items', title: 'Edit the field of an item', keys: 'F2' },
  {
    id: 'picked.add',
    scope: 'picked',
    title: 'Add the span to the last filled dataset, or to the draft',
    keys: 'D',
  },
  { id: 'picked.baskets', scope: 'picked', title: 'Drafts: switch, new, rename, copy, delete', keys: 'B' },
  {
    id: 'picked.remove',
    scope: 'picked',
    title: 'Remove the highlighted rows, in the list of selected spans',
    keys: 'Delete',
  },
  { id: 'json.copy', scope: 'json', title: 'Copy the value', keys: '$mod+C' },
  { id: 'json.copy-path', scope: 'json', title: 'Copy the path', keys: '$mod+Shift+C' },
  { id: 'review.accept', scope: 'review', title: 'Accept, then the next span', keys: 'A' },
  { id: 'review.edit', scope: 'review', title: 'Edit the expected output', keys: 'E' },
  { id: 'review.reject', scope: 'review', title: 'Reject, then the next span', keys: 'R' },
  { id: 'review.skip', scope: 'review', title: 'Skip', keys: 'S' },
  { id: 'review.next', scope: 'review', title: 'Next span', keys: 'J' },
  { id: 'review.previous', scope: 'review', title: 'Previous span', keys: 'K' },
  { id: 'review.note', scope: 'review', title: 'Note', keys: 'N' },
  { id: 'review.label', scope: 'review', title: 'Label', keys: 'L' },
  {
    id: 'review.add',
    scope: 'review',
    title: 'Add the span to the last filled dataset',
    keys: 'D',
  },
  { id: 'review.trace', scope: 'review', title: 'Show or hide the trace of the span', keys: 'T' },
  { id: 'review.group', scope: 'review', title: 'Group notes', keys: 'G' },
  { id: 'review.twin', scope: 'review', title: 'Decide as its near-duplicate', keys: '=' },
  { id: 'review.undo', scope: 'review', title: 'Undo', keys: 'Z' },
  { id: 'review.redo', scope: 'review', title: 'Redo', keys: 'Shift+Z' },
  { id: 'notes.next', scope: 'notes', title: 'Next note', keys: 'J' },
  { id: 'notes.previous', scope: 'notes', title: 'Previous note', keys: 'K' },
  { id: 'notes.choose', scope: 'notes', title: 'Choose the note', keys: 'X' },
  { id: 'notes.name', scope: 'notes', title: 'Name a new kind', keys: 'N' },
  { id: 'notes.undo', scope: 'notes', title: 'Undo', keys: 'Z' },
  { id: 'notes.redo', scope: 'notes', title: 'Redo', keys: 'Shift+Z' },
  { id: 'chart.choose', scope: 'chart', title: 'Choose the time', keys: 'Enter' },
  { id: 'chart.zoom-in', scope: 'chart', title: 'Zoom in', keys: '+' },
  { id: 'chart.zoom-out', scope: 'chart', title: 'Zoom out', keys: '-' },
  { id: 'chart.reset', scope: 'chart', title: 'Reset zoom', keys: '0' },
  { id: 'chart.back', scope: 'chart', title: 'Previous zoom', keys: 'Alt+ArrowLeft' },
  { id: 'chart.forward', scope: 'chart', title: 'Next zoom', keys: 'Alt+ArrowRight' },
  {
    id: 'board.earlier',
    scope: 'chart',
    title: 'Move the tile of a board forward',
    keys: 'Alt+Shift+ArrowLeft',
  },
  { id: 'board.later', scope: 'chart', title: 'Move the tile of a board back', keys: 'Alt+Shift+ArrowRight' },
  { id: 'mapping.choose', scope: 'mapping', title: 'Choose several keys', keys: 'Space' },
  { id: 'mapping.inputs', scope: 'mapping', title: 'Add the key to the inputs, or remove it', keys: '1' },
  {
    id: 'mapping.expected_outputs',
    scope: 'mapping',
    title: 'Add it to the expected outputs, or remove it',
    keys: '2',
  },
  { id: 'mapping.metadata', scope: 'mapping', title: 'Add it to the metadata, or remove it', keys: '3' },
  { id: 'mapping.extras', scope: 'mapping', title: 'Add it to the extras, or remove it', keys: '4' },
  { id: 'mapping.remove', scope: 'mapping', title: 'Remove the key from every bucket', keys: 'Delete' },
  {
    id: 'steps.next',
    scope: 'steps',
    title: 'Next step; at the last one, go to its button',
    keys: '$mod+Shift+Enter',
  },
  { id: 'settings.search', scope: 'settings', title: 'Search settings', keys: '/' },
  { id: 'settings.switch', scope: 'settings', title: 'Switch, or go to the control', keys: 'Space' },
  { id: 'settings.reset', scope: 'settings', title: 'Back to the default', keys: 'Backspace' },
] as const satisfies readonly KeyRow[];
export type PartKeyId = (typeof PART_ROWS)[number]['id'];

interface ShortcutGroup {
  title: string;
  rows: readonly { keys: string[]; what: string }[];
}

/** Key bindings of parts that cannot be changed. */
const FIXED_KEYS: readonly ShortcutGroup[] = [
  {
    title: 'Everywhere, always',
    rows: [{ keys: ['Ctrl', 'Z'], what: 'Undo what was closed, deleted or changed here' }],
  },
  {
    title: 'Grid, always',
    rows: [
      { keys: ['↑', '↓', '←', '→'], what: 'Move' },
      { keys: ['Page Up', 'Page Down'], what: 'Move one page' },
      { keys: ['Home', 'End'], what: 'First and last column' },
      { keys: ['Ctrl', 'Home'], what: 'First row' },
      { keys: ['Ctrl', 'End'], what: 'Last row' },
      { keys: ['Shift', '↓'], what: 'Extend the selection' },
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
    title: 'Selected spans, always',
    rows: [
      { keys: ['Ctrl', 'Z'], what: 'Undo selecting or removing' },
      { keys: ['Ctrl', 'Shift', 'Z'], what: 'Redo it' },
    ],
  },
  { title: 'Review, always', rows: [{ keys: ['1', '…', '9'], what: 'Reject with this failure kind' }] },
  { title: 'Home', rows: [{ keys: ['1', '…', '9'], what: 'Do a first step, or open what waits' }] },
  { title: 'Settings, always', rows: [{ keys: ['↑', '↓'], what: 'Previous or next setting' }] },
  {
    title: 'Requests',
    rows: [
      { keys: ['Enter'], what: 'Open a request' },
      { keys: ['↑', '↓'], what: 'Previous or next request while one is open' },
      { keys: ['Esc'], what: 'Close the request' },
    ],
  },
  {
    title: 'Chart, always',
    rows: [
      { keys: ['←', '→'], what: 'Move through the times' },
      { keys: ['Page Up', 'Page Down'], what: 'Move by ten' },
      { keys: ['Home', 'End'], what: 'First and last time' },
      { keys: ['Shift', '←', '→'], what: 'Pan' },
    ],
  },
  {
    title: 'Mapping, always',
    rows: [
      { keys: ['Alt', '↑', '↓'], what: 'Move the field (in its name box)' },
      { keys: ['Ctrl', 'Delete'], what: 'Remove the field (in its name box)' },
      { keys: ['Ctrl', 'Z'], what: 'Undo; with Shift, redo' },
    ],
  },
];

const SEARCH = 'palette.open' satisfies CommandId;

/** The content of the shortcut sheet and of docs/guide/keys.md: the given bindings by scope, then the fixed keys. */
export function shortcutGroups(table: readonly KeyRow[], isMac: boolean): ShortcutGroup[] {
  const rowsIn = (scope: string) =>
    table.flatMap((row) =>
      row.keys === null || row.scope !== scope ? [] : [{ keys: keyParts(row.keys, isMac), what: row.title }],
    );
  const search = table.find(({ id }) => id === SEARCH)?.keys ?? null;
  const acts =
    search === null
      ? []
      : [{ keys: keyParts(search, isMac), what: 'Actions on the chosen row; again for the search' }];
  const byScope = Object.entries(SCOPES).map(([scope, title]) => ({
    title,
    rows: [...rowsIn(scope), ...(scope === 'grid' ? acts : [])],
  }));
  return [...byScope, ...FIXED_KEYS];
}

let shortcuts: () => Shortcuts = () => ({});

/** Sets the source of the shortcuts. If `read` uses a signal, the display changes with it. */
export function followShortcuts(read: () => Shortcuts): void {
  shortcuts = read;
}

/** The current keys; null if there are none. */
export function keysOfPart(id: PartKeyId): string | null {
  const row = withShortcuts<KeyRow>(PART_ROWS, shortcuts()).find((each) => each.id === id);
  return row?.keys ?? null;
}

/** The keys as readable text; empty if there are none. */
export function textOfPart(id: PartKeyId): string {
  const keys = keysOfPart(id);
  return keys === null ? '' : keyText(keys, false);
}

const keysOfCommand = (id: CommandId): string | null =>
  withShortcuts<CommandRow>(COMMANDS, shortcuts()).find((each) => each.id === id)?.keys ?? null;

/** The keys of a command as readable text; empty if there are none. */
export function textOfCommand(id: CommandId): string {
  const keys = keysOfCommand(id);
  return keys === null ? '' : keyText(keys, false);
}

/** Whether the search keys were pressed on a row of a grid: they then open the list of the row's actions. */
export function asksForActs(event: Pressed): boolean {
  const keys = keysOfCommand(SEARCH);
  return keys !== null && isPressed(event, keys);
}

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

/** Whether the event matches the keys of this binding. Command and Control are equivalent. */
export function isKey(event: Pressed, id: PartKeyId): boolean {
  const keys = keysOfPart(id);
  return keys !== null && isPressed(event, keys);
}

/**
 * Characters are matched by what they type, with or without Shift; letters also match by key position on
 * other layouts.
 */
export function isPressed(event: Pressed, keys: string): boolean {
  const { modifiers, last } = splitKeys(keys);
  const has = (name: string) => modifiers.includes(name);
  if ((event.ctrlKey || event.metaKey) !== has('$mod') || event.altKey !== has('Alt')) return false;
  const isSign = last.length === 1 && !/[A-Z0-9]/.test(last);
  if (!isSign && event.shiftKey !== has('Shift')) return false;
  if (/^[A-Z]$/.test(last)) {
    const isLatin = /^[a-z]$/i.test(event.key);
    return isLatin ? event.key.toUpperCase() === last : event.code === `Key${last}`;
  }
  return last === 'Space' ? event.key === ' ' : event.key === last || event.code === last;
}
