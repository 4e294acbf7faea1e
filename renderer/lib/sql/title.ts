/** Names of typed SQL. Pure. */

/** What a list calls a query: its first comment, else its first line. */
export function queryTitle(sql: string): string {
  const comment = /^\s*--\s*(\S.*)$/m.exec(sql)?.[1];
  return (comment ?? sql.trim().replaceAll(/\s+/g, ' ')).slice(0, 80);
}
