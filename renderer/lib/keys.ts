/** Key chords of the command table (tinykeys notation) as people read them. */
const NAMES: Record<string, string> = {
  Shift: 'Shift',
  Alt: 'Alt',
  Enter: 'Enter',
  Space: 'Space',
  Delete: 'Delete',
  Backspace: 'Backspace',
  Escape: 'Esc',
  Meta: 'Win',
  Control: 'Ctrl',
  Comma: ',',
  Period: '.',
  Slash: '/',
  Backslash: '\\',
  Semicolon: ';',
  Quote: "'",
  Backquote: '`',
  BracketLeft: '[',
  BracketRight: ']',
  Minus: '-',
  Equal: '=',
  PageUp: 'Page Up',
  PageDown: 'Page Down',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
};

/** The modifiers and the key itself, which may be a plus. */
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
    return NAMES[part] ?? part.replace(/^Key|^Digit/, '');
  });
}

/** `Ctrl+Shift+O` */
export function keyText(keys: string, isMac: boolean): string {
  return keyParts(keys, isMac).join(isMac ? ' ' : '+');
}
