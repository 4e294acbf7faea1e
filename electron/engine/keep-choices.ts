/** Keeps what a person chose for the requests of a connection if its token or address changes. */
import type { ConnectionService } from '../connections/connection-service.ts';
import type { AppStore } from '../db/app-store.ts';
import type { RequestScheduler } from '../scheduler/types.ts';
import { laneTokenOf } from './traffic.ts';

interface KeepChoicesDeps {
  scheduler: Pick<RequestScheduler, 'lastToken' | 'carryChoices'>;
  store: Pick<AppStore, 'listConnections'>;
  connections: Pick<ConnectionService, 'heldToken'>;
}

/**
 * Runs `work`, which may change the connection. Its pauses, orders and priorities then apply to its new token and
 * address, before any request is sent with them.
 */
export async function keepChoices<T>(
  { scheduler, store, connections }: KeepChoicesDeps,
  connectionId: string,
  work: () => Promise<T>,
): Promise<T> {
  const tokenNow = () => {
    const known = store.listConnections().find(({ id }) => id === connectionId);
    return known === undefined ? null : laneTokenOf(scheduler, known, connections.heldToken(known));
  };
  const before = tokenNow();
  const done = await work();
  const after = tokenNow();
  const isMoved = before?.origin !== after?.origin || before?.tokenId !== after?.tokenId;
  if (before !== null && after !== null && isMoved) scheduler.carryChoices(before, after);
  return done;
}
