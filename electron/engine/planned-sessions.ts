/**
 * Planned jobs belong to a session, and sessions open on first use. This opens the sessions in which something is due,
 * so that it starts although nobody is looking at its connection.
 */
import type { Clock, Logger } from '../core/ports.ts';
import { earliestPlannedStart, PLANNED_STORES, type PlannedStore } from '../db/planned-start-file.ts';
import { toAppError } from '../shared/errors.ts';

interface PlannedSessionsDeps {
  clock: Clock;
  logger: Logger;
  /** Connections without an open session. */
  closedIds: () => string[];
  files: (connectionId: string) => Readonly<Record<PlannedStore, string>>;
  open: (connectionId: string) => Promise<unknown>;
}

/** Delay after the start of the window. */
const FIRST_LOOK_MS = 5_000;
const LOOK_EVERY_MS = 60_000;

/** Returns a function that stops it. */
export function watchPlannedSessions(deps: PlannedSessionsDeps): () => void {
  const { clock, logger } = deps;
  const log = (connectionId: string, thrown: unknown) =>
    logger.warn('planned start not looked for', { connectionId, reason: toAppError(thrown).message });
  const isDueIn = (connectionId: string, store: PlannedStore) => {
    try {
      const atMs = earliestPlannedStart(deps.files(connectionId)[store], clock.nowMs());
      return atMs !== null && atMs <= clock.nowMs();
    } catch (thrown) {
      log(connectionId, thrown);
      return false;
    }
  };
  const isDue = (connectionId: string) => PLANNED_STORES.some((store) => isDueIn(connectionId, store));
  let cancel = clock.setTimer(look, FIRST_LOOK_MS, 'opening connections with planned work');
  function look(): void {
    for (const connectionId of deps.closedIds().filter(isDue)) {
      deps.open(connectionId).catch((thrown: unknown) => log(connectionId, thrown));
    }
    cancel = clock.setTimer(look, LOOK_EVERY_MS, 'opening connections with planned work');
  }
  return () => cancel();
}
