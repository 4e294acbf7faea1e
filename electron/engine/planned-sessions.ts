/**
 * Opens the sessions in which a planned job is due. Sessions are otherwise opened at their first use, so a job of a
 * connection that is not shown would not start.
 */
import type { Clock, Logger } from '../core/ports.ts';
import { PLANNED_STORES, type PlannedStarts, type PlannedStore } from '../db/planned-start-file.ts';
import { detached } from '../shared/detached.ts';
import { toAppError } from '../shared/errors.ts';

interface PlannedSessionsDeps {
  clock: Clock;
  logger: Logger;
  starts: PlannedStarts;
  /** Ids of connections without an open session. */
  closedIds: () => string[];
  files: (connectionId: string) => Readonly<Record<PlannedStore, string>>;
  open: (connectionId: string) => Promise<unknown>;
}

/** Delay after the start of the window. */
const FIRST_LOOK_MS = 5_000;
const LOOK_EVERY_MS = 60_000;
const WHAT = 'opening connections with planned work';

/** Starts watching; returns a function that stops it. */
export function watchPlannedSessions(deps: PlannedSessionsDeps): () => void {
  const { clock, logger, starts } = deps;
  let isEnded = false;
  const log = (connectionId: string, thrown: unknown) => {
    if (!isEnded)
      logger.warn('planned start not looked for', { connectionId, reason: toAppError(thrown).message });
  };
  const isDueIn = async (connectionId: string, store: PlannedStore) => {
    try {
      const atMs = await starts.earliest(store, deps.files(connectionId)[store], clock.nowMs());
      return atMs !== null && atMs <= clock.nowMs();
    } catch (thrown) {
      log(connectionId, thrown);
      return false;
    }
  };
  const isDue = async (connectionId: string) => {
    for (const store of PLANNED_STORES) if (!isEnded && (await isDueIn(connectionId, store))) return true;
    return false;
  };
  const look = async () => {
    try {
      for (const connectionId of deps.closedIds()) {
        if (!(await isDue(connectionId)) || isEnded || !deps.closedIds().includes(connectionId)) continue;
        deps.open(connectionId).catch((thrown: unknown) => log(connectionId, thrown));
      }
    } catch (thrown) {
      // The list of connections cannot be read now; the next check may succeed.
      logger.warn('connections not looked at', { reason: toAppError(thrown).message });
    }
    if (!isEnded) cancel = clock.setTimer(start, LOOK_EVERY_MS, WHAT);
  };
  const start = () => detached(WHAT, look());
  let cancel = clock.setTimer(start, FIRST_LOOK_MS, WHAT);
  return () => {
    isEnded = true;
    cancel();
  };
}
