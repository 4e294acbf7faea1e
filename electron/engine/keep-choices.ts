/** Keeps what a person chose for the requests of a connection if its token or address changes. */
import type { ConnectionService } from '../connections/connection-service.ts';
import { tokenId } from '../connections/token-vault.ts';
import type { AppStore } from '../db/app-store.ts';
import type { RequestScheduler } from '../scheduler/types.ts';
import type { Connection } from '../shared/model.ts';

interface KeepChoicesDeps {
  scheduler: Pick<RequestScheduler, 'carryChoices'>;
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
  // Null if the token is unknown: choices then are for the token used last, which can be that of another connection.
  const tokenOf = (known: Connection | undefined) => {
    const held = known === undefined ? null : connections.heldToken(known);
    if (known === undefined || held === null) return null;
    return { origin: new URL(known.baseUrl).origin, tokenId: tokenId(held) };
  };
  const tokenNow = () => tokenOf(store.listConnections().find(({ id }) => id === connectionId));
  const before = tokenNow();
  const done = await work();
  const after = tokenNow();
  if (before === null || after === null || isSame(before, after)) return done;
  const others = store.listConnections().filter(({ id }) => id !== connectionId);
  const isShared = others.some((other) => isSame(tokenOf(other), after));
  scheduler.carryChoices(before, after, isShared);
  return done;
}

type Token = { origin: string; tokenId: string } | null;

const isSame = (a: Token, b: Token): boolean => a?.origin === b?.origin && a?.tokenId === b?.tokenId;
