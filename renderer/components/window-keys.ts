/** Keys that work anywhere in the window unless the user is typing. */
import { isKey } from '../lib/part-keys.ts';

/** Elements with a text to read. Everything else in the window is controls and rows. */
const TEXTS = '[role="region"][tabindex], [role="tree"], pre';
/** The box for finding rows in the active view. */
const FIND_BOX = '[data-view="active"] [data-find]';

/** Selects the text that has the focus; never the content of the whole window. */
export function selectText(event: KeyboardEvent): boolean {
  if (!isKey(event, 'grid.select-all')) return false;
  event.preventDefault();
  const text = event.target instanceof Element ? event.target.closest(TEXTS) : null;
  if (text !== null) getSelection()?.selectAllChildren(text);
  return true;
}

/** Moves the focus from anywhere in a view to its box for finding rows. */
export function enterFindBox(event: KeyboardEvent): boolean {
  if (!isKey(event, 'grid.narrow')) return false;
  const box = document.querySelector(FIND_BOX);
  if (!(box instanceof HTMLInputElement)) return false;
  event.preventDefault();
  box.select();
  box.focus();
  return true;
}
