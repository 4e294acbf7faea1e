/** Whether a connection accepts changes at present. Pure. */
import type { Connection, Freshness, NetworkState } from '../../electron/shared/model.ts';

/**
 * Whether a change goes to the outbox because the service is unreachable. This never happens on a read-only connection.
 */
export function goesToOutbox(
  connection: Pick<Connection, 'isReadOnly'> | null,
  network: NetworkState['state'],
): boolean {
  const isAway = network === 'switched-off' || network === 'unreachable';
  return isAway && connection !== null && !connection.isReadOnly;
}

/** A note that a job started now will have to wait; null if it need not wait. */
export function waitNote(network: NetworkState['state']): string | null {
  if (network === 'switched-off') return 'Working offline: this waits, and is sent once you go online.';
  if (network === 'unreachable') return 'This waits until the service can be reached.';
  return null;
}

/**
 * The reason why shown data cannot be changed before it was read again; null if it can. The same id may belong to
 * another record at the new address, e.g. at a copy of the service. If the clock was ahead when the data was read, it is
 * not known whether that was before the move.
 */
export function moveBlock(
  connection: Pick<Connection, 'movedFrom'> | null,
  shown: Pick<Freshness, 'oldestMs'> | null,
  nowMs: number,
): string | null {
  const movedAtMs = connection?.movedFrom?.atMs;
  const readAtMs = shown?.oldestMs ?? null;
  if (movedAtMs === undefined || readAtMs === null) return null;
  if (readAtMs >= movedAtMs && readAtMs <= nowMs) return null;
  return 'This was read at the former address of the connection. Refresh first: at the new address, the same id may be another record.';
}

/** The reason why actions that need the service cannot start now; null if they can. */
export function writeBlock(
  connection: Pick<Connection, 'isReadOnly'> | null,
  network: NetworkState['state'],
): string | null {
  if (connection === null) return 'There is no connection.';
  if (connection.isReadOnly) return 'This connection is read-only: it cannot change anything.';
  if (network === 'switched-off') return 'Offline: this needs the service. Go online first.';
  if (network === 'unreachable')
    return 'The service cannot be reached: this needs it. Try again once it answers.';
  return null;
}
