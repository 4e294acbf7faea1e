/** Text in HTML. Pure. */
import { printable } from '../../shared/untrusted-text.ts';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for an element or a quoted attribute; characters that control a terminal or reverse text become U+FFFD. */
export function escaped(text: string): string {
  return printable(text.toWellFormed()).replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
