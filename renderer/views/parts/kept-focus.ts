/** If a row is removed together with its focused button, the focus moves to the row at its position. */

import type { Attachment } from 'svelte/attachments';
import { on } from 'svelte/events';

const CAN_BE_PRESSED = 'button:not(:disabled), a[href], input:not(:disabled)';

/** `rows`: selector of the rows. The last focused element can also be removed while its row stays. */
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
      // The user can have moved the focus elsewhere.
      if (last === null || last.target.isConnected || document.activeElement !== document.body) return;
      const left = rowsNow();
      const row = left[Math.min(last.row, left.length - 1)];
      last = null;
      row?.querySelector<HTMLElement>(CAN_BE_PRESSED)?.focus();
    });
    observer.observe(element, { childList: true, subtree: true });
    return () => {
      stopListening();
      observer.disconnect();
    };
  };
}
