/**
 * Changes key bindings of commands and parts: reads the pressed keys, checks whether they are allowed, and
 * finds conflicts.
 */
import type { Shortcuts } from '../../electron/shared/shortcuts.ts';
import { keyText, splitKeys } from './keys.ts';
import type { KeyRow } from './part-keys.ts';

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

const MODIFIER = /^(?:Control|Shift|Alt|Meta|OS)(?:Left|Right)?$/;

/** The pressed keys in the notation of the command table; null while only modifiers are pressed. */
export function keysPressed(event: Pressed, isMac: boolean): string | null {
  if (event.code === '' || MODIFIER.test(event.code)) return null;
  const [mod, other] = isMac ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  const parts = [
    mod ? '$mod' : '',
    other ? (isMac ? 'Control' : 'Meta') : '',
    event.altKey ? 'Alt' : '',
    event.shiftKey ? 'Shift' : '',
    event.code,
  ];
  return parts.filter((part) => part !== '').join('+');
}

/** The pressed keys in the notation of parts: letters, digits and symbols by the typed character. */
export function partKeysPressed(event: Pressed, isMac: boolean): string | null {
  const keys = keysPressed(event, isMac);
  if (keys === null) return null;
  const { modifiers, last } = splitKeys(keys);
  if (event.key === ' ' || event.key.length !== 1) return keys;
  const isPlain = modifiers.every((each) => each === 'Shift');
  const own = isPlain && /^[^a-z]$/i.test(event.key) ? event.key : null;
  const letter = /^[a-z]$/i.test(event.key) ? event.key.toUpperCase() : last.replace(/^Key|^Digit/, '');
  return own !== null && !/[0-9]/.test(own) ? own : [...modifiers, own ?? letter].join('+');
}

/** Canonical form with ordered modifiers, so that two notations of the same chord are equal. */
function normal(keys: string): string {
  const { modifiers, last } = splitKeys(keys);
  return [...modifiers.toSorted(), keyText(last, false)].join('+');
}

const EDITING = 'text is edited with it everywhere';
const PARTS = 'lists and fields use it';
/** Reserved chords with the reasons. */
const RESERVED: Readonly<Record<string, string>> = {
  '$mod+KeyC': 'it copies',
  '$mod+KeyV': 'it pastes',
  '$mod+KeyX': 'it cuts',
  '$mod+KeyA': 'it selects everything',
  '$mod+KeyZ': 'it undoes typing',
  '$mod+KeyY': 'it redoes typing',
  '$mod+Shift+KeyZ': 'it redoes typing',
  '$mod+Shift+KeyV': 'it pastes without format',
  '$mod+KeyQ': 'it quits the application',
  '$mod+Shift+KeyW': 'it closes the window',
  'Alt+F4': 'it closes the window',
  '$mod+Digit0': 'it resets the zoom',
  '$mod+Equal': 'it zooms in',
  '$mod+Shift+Equal': 'it zooms in',
  '$mod+Minus': 'it zooms out',
  '$mod+Shift+KeyI': 'it opens the developer tools',
  F11: 'it switches full screen',
  F2: 'it filters a column',
  F10: 'it opens menus',
  'Shift+F10': 'it opens the menu of a row',
};
/** Keys that are reserved with any modifier. */
const RESERVED_KEYS: Readonly<Record<string, string>> = {
  Tab: 'it moves the focus',
  Escape: 'it closes and cancels',
  Enter: PARTS,
  NumpadEnter: PARTS,
  Space: PARTS,
  Backspace: EDITING,
  Delete: EDITING,
  ArrowUp: PARTS,
  ArrowDown: PARTS,
  ArrowLeft: PARTS,
  ArrowRight: PARTS,
  Home: PARTS,
  End: PARTS,
};
/** Reserved keys by part, with the reasons. */
const RESERVED_IN: Partial<Record<KeyRow['scope'], { keys: RegExp; reason: string }>> = {
  review: { keys: /^[1-9]$/, reason: 'it rejects with a failure kind' },
  notes: { keys: /^[1-9]$/, reason: 'it moves to a kind' },
};
/** Navigation keys of every part. */
const MOVES = /^(?:Arrow|Page|Home$|End$)/;
const RESERVED_CHORDS = new Map(Object.entries(RESERVED).map(([keys, reason]) => [normal(keys), reason]));

/**
 * The reason why these keys are not allowed, as a sentence; null if they are. The default keys of a binding are always
 * allowed. Keys without modifiers are allowed only in parts where the user does not type.
 */
export function chordProblem(
  keys: string,
  isMac: boolean,
  row: Pick<KeyRow, 'scope' | 'keys'>,
): string | null {
  if (row.keys !== null && normal(row.keys) === normal(keys)) return null;
  const { modifiers, last } = splitKeys(keys);
  const text = keyText(keys, isMac);
  const isPart = row.scope !== 'everywhere';
  const own = RESERVED_IN[row.scope];
  if (own?.keys.test(keys) === true) return `${text} is reserved: ${own.reason}.`;
  const isFree = isPart && RESERVED_KEYS[last] !== undefined && !/^(?:Tab|Escape)$/.test(last);
  const reason = (isFree ? undefined : RESERVED_KEYS[last]) ?? RESERVED_CHORDS.get(normal(keys));
  if (reason !== undefined) return `${text} is reserved: ${reason}.`;
  const hasModifier = modifiers.some((part) => part !== 'Shift');
  if (isPart) return MOVES.test(last) && !modifiers.includes('Alt') ? `${text} is reserved: ${PARTS}.` : null;
  if (/^F\d+$/.test(last) || hasModifier) return null;
  if (last.startsWith('Page')) return `${text} is reserved: ${PARTS}.`;
  const mod = isMac ? '⌘' : 'Ctrl';
  return `${text} alone types or moves. Press it with ${mod} or Alt, or press a function key.`;
}

/** Keys for picked spans apply while their grid has the focus. */
const isOfRows = (scope: KeyRow['scope']) => scope === 'grid' || scope === 'picked';

/** Other bindings with these keys that conflict with this one: in the same part, or everywhere. */
export function holders<R extends KeyRow>(keys: string, row: KeyRow, rows: readonly R[]): R[] {
  const sought = normal(keys);
  const meets = ({ scope }: KeyRow) => {
    const both = [scope, row.scope];
    return scope === row.scope || both.includes('everywhere') || both.every(isOfRows);
  };
  return rows.filter(
    (other) => other.id !== row.id && other.keys !== null && meets(other) && normal(other.keys) === sought,
  );
}

/** A binding with its default keys. */
type Row = Pick<KeyRow, 'id' | 'keys'>;

/**
 * Assigns `keys` to one binding and removes them from conflicting ones. A binding that equals its default is not
 * stored, so that later versions can change the default.
 */
export function given(
  shortcuts: Shortcuts,
  id: string,
  keys: string | null,
  { table, from }: { table: readonly Row[]; from: readonly Row[] },
): Shortcuts {
  const next: Record<string, string | null> = { ...shortcuts, [id]: keys };
  for (const { id: other } of from) next[other] = null;
  return Object.fromEntries(
    Object.entries(next).filter(([each, own]) => {
      const row = table.find((candidate) => candidate.id === each);
      return row !== undefined && row.keys !== own;
    }),
  );
}
