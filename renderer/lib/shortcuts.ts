/** Changing the keys of commands: what was pressed, whether it may be taken, and who has it. */
import type { Shortcuts } from '../../electron/shared/shortcuts.ts';
import type { Command } from './commands.ts';
import { keyText } from './keys.ts';

type Pressed = Pick<KeyboardEvent, 'code' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

const MODIFIER = /^(?:Control|Shift|Alt|Meta|OS)(?:Left|Right)?$/;

/** What was pressed in the notation of the table; null while only modifiers are down. */
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

/** The keys with their modifiers in one order: two notations of one chord compare equal. */
function normal(keys: string): string {
  const parts = keys.split('+');
  return [...parts.slice(0, -1).toSorted(), parts.at(-1)].join('+');
}

const EDITING = 'text is edited with it everywhere';
const PARTS = 'lists and fields use it';
/** Chords that stay as they are, and why. */
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
/** Keys that stay as they are with whatever modifier. */
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
const RESERVED_CHORDS = new Map(Object.entries(RESERVED).map(([keys, why]) => [normal(keys), why]));

/** Why no command may have these keys, as a sentence; null where one may. */
export function refusal(keys: string, isMac: boolean): string | null {
  const parts = keys.split('+');
  const last = parts.at(-1) ?? '';
  const why = RESERVED_KEYS[last] ?? RESERVED_CHORDS.get(normal(keys));
  if (why !== undefined) return `${keyText(keys, isMac)} is reserved: ${why}.`;
  const isFunctionKey = /^F\d+$/.test(last);
  const hasModifier = parts.slice(0, -1).some((part) => part !== 'Shift');
  if (isFunctionKey || hasModifier) return null;
  if (last.startsWith('Page')) return `${keyText(keys, isMac)} is reserved: ${PARTS}.`;
  const mod = isMac ? '⌘' : 'Ctrl';
  return `${keyText(keys, isMac)} alone types or moves. Press it with ${mod} or Alt, or press a function key.`;
}

/** The other command that has these keys. */
export function holder(keys: string, id: string, commands: readonly Command[]): Command | null {
  const sought = normal(keys);
  return (
    commands.find((other) => other.id !== id && other.keys !== null && normal(other.keys) === sought) ?? null
  );
}

/** A command with the keys it has without any change. */
type Row = Pick<Command, 'id' | 'keys'>;

/**
 * Gives `keys` to one command and takes them from whoever has them. What equals the table again is no longer kept, so
 * that later versions may change the table.
 */
export function given(
  shortcuts: Shortcuts,
  id: string,
  keys: string | null,
  { table, from }: { table: readonly Row[]; from: string | null },
): Shortcuts {
  const next: Record<string, string | null> = { ...shortcuts, [id]: keys };
  if (from !== null) next[from] = null;
  return Object.fromEntries(
    Object.entries(next).filter(([each, own]) => {
      const row = table.find((candidate) => candidate.id === each);
      return row !== undefined && row.keys !== own;
    }),
  );
}
