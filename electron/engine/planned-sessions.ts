/**
 * What is planned belongs to a session, and sessions open when somebody needs them. This opens those in which
 * something is due, so that it begins although nobody looks at its connection.
 */
import type { Clock, Logger } from '../core/ports.ts';
import { earliestPlannedStart } from '../db/planned-start-file.ts';
import { toAppError } from '../shared/errors.ts';

export interface PlannedSessionsDeps {
  clock: Clock;
  logger: Logger;
  /** Connections without an open session. */
  closedIds: () => string[];
  uploadsDb: (connectionId: string) => string;
  open: (connectionId: string) => Promise<unknown>;
}

/** After the window, which comes first. */
const FIRST_LOOK_MS = 5_000;
const LOOK_EVERY_MS = 60_000;

/** Returns what ends it. */
export function watchPlannedSessions(deps: PlannedSessionsDeps): () => void {
  const { clock, logger } = deps;
  const log = (connectionId: string, thrown: unknown) =>
    logger.warn('planned start not looked for', { connectionId, reason: toAppError(thrown).message });
  const isDue = (connectionId: string) => {
    try {
      const atMs = earliestPlannedStart(deps.uploadsDb(connectionId));
      return atMs !== null && atMs <= clock.nowMs();
    } catch (thrown) {
      log(connectionId, thrown);
      return false;
    }
  };
  let cancel = clock.setTimer(look, FIRST_LOOK_MS);
  function look(): void {
    for (const connectionId of deps.closedIds().filter(isDue)) {
      deps.open(connectionId).catch((thrown: unknown) => log(connectionId, thrown));
    }
    cancel = clock.setTimer(look, LOOK_EVERY_MS);
  }
  return () => cancel();
}
