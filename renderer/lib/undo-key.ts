/** Handles Ctrl+Z and Ctrl+Shift+Z outside text fields, which have their own undo. */

const TEXT = 'input:not([type=checkbox], [type=radio]), textarea, [contenteditable=true]';

/** The action of the key, or null for other keys. Marks the event as handled. */
export function undoKey(event: KeyboardEvent): 'undo' | 'redo' | null {
  if (!(event.ctrlKey || event.metaKey) || event.altKey || event.code !== 'KeyZ') return null;
  if (event.target instanceof Element && event.target.matches(TEXT)) return null;
  event.preventDefault();
  return event.shiftKey ? 'redo' : 'undo';
}
