/** Finds a saved connection by what a person types: its id, the start of it, or its name. */
import { AppError } from '../shared/errors.ts';
import type { Connection } from '../shared/model.ts';
import { isIdOrStart } from './suggestions.ts';

const SHOWN_ID = 8;

/** Connections of the same name, such as those of several tokens, differ in their ids. */
const shown = ({ id, name }: Pick<Connection, 'id' | 'name'>): string => `${name} (${id.slice(0, SHOWN_ID)})`;

/** Names with the starts of their ids, for messages. */
export const connectionNames = (connections: readonly Connection[]): string =>
  connections.map(shown).join(', ') || 'none';

/** Null if there is none. Throws INVALID_ARGUMENT if the text fits several. */
export function findConnection(connections: readonly Connection[], typed: string): Connection | null {
  const exact = connections.find(({ id }) => id === typed);
  if (exact !== undefined) return exact;
  const named = connections.filter(({ name }) => name === typed);
  const found = named.length > 0 ? named : connections.filter(({ id }) => isIdOrStart(id, typed));
  if (found.length > 1)
    throw new AppError(
      'INVALID_ARGUMENT',
      `${found.length} connections fit ${typed}: ${connectionNames(found)}. Name one by its id.`,
    );
  return found[0] ?? null;
}
