/**
 * Moves the focus if a row is removed together with its focused button: to the row that is now at the same position. In
 * a group of radio buttons the checked one gets the focus.
 */

import type { Attachment } from 'svelte/attachments';
import { on } from 'svelte/events';

const CHECKED = 'input[type="radio"]:checked:not(:disabled)';
const CAN_BE_PRESSED = 'button:not(:disabled), a[href], input:not(:disabled)';

/** `rows`: CSS selector of the rows. Also handles that the focused element is removed while its row stays. */
export function keptFocus(rows: string): Attachment<HTMLElement> {
  return (element) => {
    const rowsNow = () => [...element.querySelectorAll<HTMLElement>(rows)];
    let last: { target: Element; row: number } | null = null;
    const stopListening = on(element, 'focusin', ({ target }) => {
      if (!(target instanceof Element)) return;
      const row = target.closest<HTMLElement>(rows);
      last = { target, row: row === null ? 0 : rowsNow().indexOf(row) };
    });
    const observer = new MutationObserver(() => {
      // The user may have moved the focus elsewhere.
      if (last === null || last.target.isConnected || document.activeElement !== document.body) return;
      const left = rowsNow();
      const row = left[Math.min(last.row, left.length - 1)];
      last = null;
      const target =
        row?.querySelector<HTMLElement>(CHECKED) ?? row?.querySelector<HTMLElement>(CAN_BE_PRESSED);
      target?.focus();
    });
    observer.observe(element, { childList: true, subtree: true });
    return () => {
      stopListening();
      observer.disconnect();
    };
  };
}
