/** Keys that a person assigned to commands, replacing those of the table. */
import type { CommandRow } from './commands.ts';

/** Maps the id of a command to its keys in the notation of tinykeys; null removes its keys. */
export type Shortcuts = Readonly<Record<string, string | null>>;

/**
 * The rows with their effective keys. If a person gave a command keys that another command has in the table, that
 * command loses them; a later version of the table may use such keys.
 */
export function withShortcuts<R extends Pick<CommandRow, 'id' | 'keys'>>(
  rows: readonly R[],
  shortcuts: Shortcuts,
): (R & { keys: string | null })[] {
  const isGlobal = (row: object) => !('scope' in row) || row.scope === 'everywhere';
  const taken = new Set(rows.filter(isGlobal).flatMap(({ id }) => shortcuts[id] ?? []));
  return rows.map((row) => {
    const own = shortcuts[row.id];
    if (own !== undefined) return { ...row, keys: own };
    return { ...row, keys: row.keys !== null && isGlobal(row) && taken.has(row.keys) ? null : row.keys };
  });
}
