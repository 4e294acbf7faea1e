/** Names and texts as SQL writes them. Pure. */
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
