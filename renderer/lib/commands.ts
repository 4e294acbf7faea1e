/**
 * Commands and shortcuts as data. The ids and keys of COMMANDS come from the shared table, which the menu
 * also reads; the others exist in the window only. Menu events, the palette, key bindings and the `?` sheet
 * use this file.
 */
import { COMMANDS, type CommandId, type CommandRow } from '../../electron/shared/commands.ts';

export interface Command {
  id: string;
  title: string;
  /** tinykeys notation, or null if there is no key. */
  keys: string | null;
  keywords: string;
  /** Whether the command opens a list that then gets the focus. */
  leads: boolean;
  run: () => unknown;
}

const ROWS = 'density row height size settings preferences';
/** Commands that exist only in the window. */
const WINDOW_COMMANDS = [
  {
    id: 'edit.undo',
    title: 'Undo',
    keys: null,
    menu: null,
    keywords: 'undo take back revert restore closed deleted star setting draft',
  },
  {
    id: 'edit.redo',
    title: 'Redo what was undone on this computer',
    keys: null,
    menu: null,
    keywords: 'redo again undone',
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
  {
    id: 'alert-rules.new',
    title: 'New alert rule…',
    keys: null,
    menu: null,
    keywords: 'add create notify me when threshold monitor',
  },
  {
    id: 'spans.failed',
    title: 'Show failed spans',
    keys: null,
    menu: null,
    keywords: 'errors error exceptions failures broken wrong why did it fail reason',
  },
  {
    id: 'spans.slow',
    title: 'Show the slowest spans',
    keys: null,
    menu: null,
    keywords: 'slow longest duration latency time',
  },
  {
    id: 'experiments.compare',
    title: 'Compare experiments…',
    keys: null,
    menu: null,
    keywords:
      'compare two runs versions prompts regression difference which prompt model is better a/b ab test',
  },
  {
    id: 'charts.new',
    title: 'New chart…',
    keys: null,
    menu: null,
    keywords: 'add create draw plot graph metric query',
  },
  {
    id: 'datasets.new',
    title: 'New dataset…',
    keys: null,
    menu: null,
    keywords: 'add create make evaluation set spans',
  },
  {
    id: 'keep.new',
    title: 'Keep something offline…',
    keys: null,
    menu: null,
    keywords: 'download pin store cache available copy save for later train plane',
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
  {
    id: 'events.delete',
    title: 'Delete events…',
    keys: null,
    menu: null,
    keywords: 'remove rows erase time range ids wrong upload delete my data',
  },
  {
    id: 'traffic.pause',
    title: 'Pause or resume all requests',
    keys: null,
    menu: null,
    keywords: 'stop hold halt everything traffic',
  },
  {
    id: 'connection.edit',
    title: 'Edit this connection…',
    keys: null,
    menu: null,
    keywords: 'settings change renew token key proxy address url read-only forget log out sign',
  },
] as const satisfies readonly CommandRow[];

type WindowCommandId = CommandId | (typeof WINDOW_COMMANDS)[number]['id'];
type SectionCommandId = Extract<WindowCommandId, `go.${string}`>;
export type Actions = Record<Exclude<WindowCommandId, SectionCommandId>, () => unknown>;

function isOfSection(id: WindowCommandId): id is SectionCommandId {
  return id.startsWith('go.');
}

/**
 * Combines the tables with the action of each command; a command without an action is a compile error. `openPlace`
 * opens a place of the window; for a section of the sidebar, its first place.
 */
export function buildCommands(actions: Actions, openPlace: (id: string) => unknown): Command[] {
  return [...COMMANDS, ...WINDOW_COMMANDS].map((row) => {
    const { id, title, keys } = row;
    const leads = isOfSection(id);
    return {
      id,
      title,
      keys,
      keywords: 'keywords' in row ? row.keywords : '',
      leads,
      run: leads ? () => openPlace(id.slice('go.'.length)) : actions[id],
    };
  });
}

/** Controls in which the user chooses with keys. */
const CHOICES =
  '[role="option"], [role="listbox"], [role="checkbox"], [role="switch"], [role^="menuitem"], [role="slider"]';
const CONTROLS = 'button, a[href], summary, [role="tab"]';
/** Parts of the window with the records that keys act on. Their buttons leave the keys to them. */
const RECORD = '[data-record]';

/**
 * Whether a key without a modifier, which would act on the current record, is pressed at another control: the user types
 * or chooses there, or it is outside the part with the record, as a facet is.
 */
export function isAtControl(target: EventTarget | null): boolean {
  if (isTyping(target)) return true;
  if (!(target instanceof Element)) return false;
  return target.matches(CHOICES) || (target.closest(CONTROLS) !== null && target.closest(RECORD) === null);
}

/** Whether the user is typing; single-key shortcuts are ignored then. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.matches('input, textarea, select, [contenteditable="true"]');
}
