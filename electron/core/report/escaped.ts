/** Escapes text for HTML. Pure. */
import { printable } from '../../shared/untrusted-text.ts';

/** A text for an element or a quoted attribute. Characters that control a terminal or reverse text become U+FFFD. */
export function escaped(text: string): string {
  return printable(text.toWellFormed())
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
