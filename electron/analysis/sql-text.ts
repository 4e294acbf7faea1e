/** Quotes names and texts for SQL. Pure. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** The engine reads SQL only up to the first NUL, so a NUL in a text is written as an expression. */
export const quoteText = (text: string): string => {
  const quoted = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`);
  return quoted.length === 1 ? (quoted[0] ?? "''") : `(${quoted.join(' || chr(0) || ')})`;
};

/** Prefix for names of columns that are not fields of the record, which avoids collisions with fields. */
export const ADDED = '\u0001';

/** Escapes a path as a glob pattern that matches only this path. The engine has no escape by backslash. */
export const patternOf = (path: string): string => path.replaceAll(/[*?[]/g, '[$&]');

/** A file name for engine functions that also accept glob patterns. Characters of patterns stand for themselves. */
export const quoteFile = (path: string): string => quoteText(patternOf(path));
