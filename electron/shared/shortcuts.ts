/** Keys that a person gave to commands instead of those of the table. */
import type { CommandRow } from './commands.ts';

/** Id of a command to its keys in the notation of tinykeys; null takes its keys away. */
export type Shortcuts = Readonly<Record<string, string | null>>;

/** The rows with the keys that count. */
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
