/** Titles of SQL queries. Pure. */
import { cutText } from '../../../electron/shared/cut-text.ts';

/** Title of a query in a list: its first comment, otherwise its first line. */
export function queryTitle(sql: string): string {
  const comment = /^\s*--\s*(\S.*)$/m.exec(sql)?.[1];
  return cutText(comment ?? sql.trim().replaceAll(/\s+/g, ' '), 80);
}
