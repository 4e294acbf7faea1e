/** Names and texts as SQL writes them. Pure. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** The engine reads SQL up to the first NUL, so one in a text is written as an expression. */
export const quoteText = (text: string): string => {
  const quoted = text.split('\0').map((part) => `'${part.replaceAll("'", "''")}'`);
  return quoted.length === 1 ? (quoted[0] ?? "''") : `(${quoted.join(' || chr(0) || ')})`;
};

/** Stands before the name of a column that is no field of the record: no field is taken for it. */
export const ADDED = '\u0001';
