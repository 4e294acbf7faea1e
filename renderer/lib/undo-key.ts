/** Ctrl+Z and Ctrl+Shift+Z, where no text is being edited: there the field itself undoes. */

const TEXT = 'input:not([type=checkbox], [type=radio]), textarea, [contenteditable=true]';

/** What the key asks for, null for other keys. The event is then handled. */
export function undoKey(event: KeyboardEvent): 'undo' | 'redo' | null {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.code !== 'KeyZ') return null;
  if (event.target instanceof Element && event.target.matches(TEXT)) return null;
  event.preventDefault();
  return event.shiftKey ? 'redo' : 'undo';
}
