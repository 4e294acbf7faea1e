/** Names and texts as SQL writes them. Pure. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Stands before the name of a column that is no field of the record: no field is taken for it. */
export const ADDED = '\u0001';
