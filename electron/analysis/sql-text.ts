/** Quotes names and texts for SQL. Pure. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** The engine reads SQL up to the first NUL, so one in a text is written as an expression. */
export const quoteText = (text: string): string => {
  const quoted = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`);
  return quoted.length === 1 ? (quoted[0] ?? "''") : `(${quoted.join(' || chr(0) || ')})`;
};

/** Prefix of column names that are not fields of the record, to avoid collisions with fields. */
export const ADDED = '\u0001';

/** A path as a pattern that fits only itself. The engine knows none for a backslash before the characters of patterns. */
export const patternOf = (path: string): string => path.replaceAll(/[*?[]/g, '[$&]');

/** A file for the functions of the engine that also take patterns: the characters of patterns stand for themselves. */
export const quoteFile = (path: string): string => quoteText(patternOf(path));
