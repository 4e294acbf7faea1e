/** Finds a saved connection by typed text: its id, the start of the id, or its name. */
import { AppError } from '../shared/errors.ts';
import type { Connection } from '../shared/model.ts';
import { isIdOrStart } from './suggestions.ts';

const SHOWN_ID = 8;

/** The name with the start of the id, because connections may have the same name, such as those of several tokens. */
const shown = ({ id, name }: Pick<Connection, 'id' | 'name'>): string => `${name} (${id.slice(0, SHOWN_ID)})`;

/** All connections by name and start of the id, for messages. */
export const connectionNames = (connections: readonly Connection[]): string =>
  connections.map(shown).join(', ') || 'none';

/** Null if no connection matches. Throws INVALID_ARGUMENT if several do. */
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
