/** Why a connection sends no changes now, in words; null where it does. Pure. */
import type { Connection, NetworkState } from '../../electron/shared/model.ts';

export function writeBlock(
  connection: Pick<Connection, 'isReadOnly'> | null,
  network: NetworkState['state'],
): string | null {
  if (connection === null) return 'There is no connection.';
  if (connection.isReadOnly) return 'This connection is read-only: nothing is changed through it.';
  if (network === 'switched-off') return 'Offline: a change is sent only while online.';
  if (network === 'unreachable') return 'The service is not reached: a change needs it.';
  return null;
}
