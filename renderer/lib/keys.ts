/** Readable texts of the key chords in the command table (tinykeys notation). */
import { keySign } from '../../electron/shared/commands.ts';

/** Keys whose display name differs from the table. */
const NAMES: Readonly<Record<string, string>> = {
  Escape: 'Esc',
  Meta: 'Win',
  Control: 'Ctrl',
  PageUp: 'Page Up',
  PageDown: 'Page Down',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** Splits a chord into its modifiers and the key itself, which can be `+`. */
export function splitKeys(keys: string): { modifiers: readonly string[]; last: string } {
  const last = keys.endsWith('+') ? '+' : keys.slice(keys.lastIndexOf('+') + 1);
  return {
    modifiers: keys
      .slice(0, keys.length - last.length)
      .split('+')
      .filter(Boolean),
    last,
  };
}

/** `$mod+Shift+KeyO` → `['Ctrl', 'Shift', 'O']`, or `['⌘', 'Shift', 'O']` on macOS. */
export function keyParts(keys: string, isMac: boolean): string[] {
  const { modifiers, last } = splitKeys(keys);
  return [...modifiers, last].map((part) => {
    if (part === '$mod') return isMac ? '⌘' : 'Ctrl';
    return NAMES[part] ?? keySign(part);
  });
}

/** A chord as one text: `Ctrl+Shift+O`. */
export function keyText(keys: string, isMac: boolean): string {
  return keyParts(keys, isMac).join(isMac ? ' ' : '+');
}
