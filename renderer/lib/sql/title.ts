/** Titles of SQL queries. Pure. */

/** Title of a query in a list: its first comment, otherwise its first line. */
export function queryTitle(sql: string): string {
  const comment = /^\s*--\s*(\S.*)$/m.exec(sql)?.[1];
  return (comment ?? sql.trim().replaceAll(/\s+/g, ' ')).slice(0, 80);
}
