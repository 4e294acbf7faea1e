/** Key chords of the command table (tinykeys notation) as people read them. */
const NAMES: Record<string, string> = {
  Shift: 'Shift',
  Alt: 'Alt',
  Enter: 'Enter',
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

/** `$mod+Shift+KeyO` → `['Ctrl', 'Shift', 'O']`, or `['⌘', 'Shift', 'O']` on macOS. */
export function keyParts(keys: string, isMac: boolean): string[] {
  return keys.split('+').map((part) => {
    if (part === '$mod') return isMac ? '⌘' : 'Ctrl';
    return NAMES[part] ?? part.replace(/^Key|^Digit/, '');
  });
}

/** `Ctrl+Shift+O` */
export function keyText(keys: string, isMac: boolean): string {
  return keyParts(keys, isMac).join(isMac ? ' ' : '+');
}
