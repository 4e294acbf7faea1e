/** Keys that a person assigned to commands, replacing those of the table. */
import type { CommandRow } from './commands.ts';

/** Maps the id of a command to its keys in the notation of tinykeys; null removes its keys. */
export type Shortcuts = Readonly<Record<string, string | null>>;

/** The rows with their effective keys. */
export function withShortcuts<R extends Pick<CommandRow, 'id' | 'keys'>>(
  rows: readonly R[],
  shortcuts: Shortcuts,
): (R & { keys: string | null })[] {
  return rows.map((row) => ({ ...row, keys: keysOf(row, shortcuts) }));
}

function keysOf({ id, keys }: Pick<CommandRow, 'id' | 'keys'>, shortcuts: Shortcuts): string | null {
  const own = shortcuts[id];
  return own === undefined ? keys : own;
}
