/**
 * Withholds changes of records that are known only from the former address of a connection: at the new address, e.g. at
 * a copy of the service, the same id may be another record. Jobs that were created before the change of the address are
 * paused when their store is opened. A person who resumes them decides that the service is the same.
 */
import type { Clock } from '../core/ports.ts';
import type { FormerReads } from '../db/former-reads.ts';
import type { Resources } from '../resources/types.ts';
import { cutText } from '../shared/cut-text.ts';
import { AppError } from '../shared/errors.ts';
import { idsIn } from '../shared/ids-in-request.ts';
import { textOfIdentity } from '../shared/item-row.ts';
import type { Connection } from '../shared/model.ts';
import { isolated } from '../shared/untrusted-text.ts';

interface FormerRecordsDeps {
  connection: Pick<Connection, 'movedFrom'>;
  /** Null if the library could not be opened. */
  reads: FormerReads | null;
  clock: Pick<Clock, 'nowMs'>;
}

/**
 * Rejects with CONFLICT if an id was read only at the former address; then nothing was sent. `sinceMs`: time at which the
 * change was requested. A change requested before the address changed passes, because only a person resumes it.
 */
export type CheckRead = (ids: readonly string[], sinceMs?: number) => Promise<void>;

const MAX_ID_CHARS = 80;

/** Undefined if the address was never changed, so that nothing needs to be looked up. */
export function createFormerCheck({ connection, reads, clock }: FormerRecordsDeps): CheckRead | undefined {
  const { movedFrom } = connection;
  if (movedFrom === undefined || reads === null) return undefined;
  return async (ids, sinceMs = movedFrom.atMs) => {
    const nowMs = clock.nowMs();
    // The clock was ahead at the move, and was set back since: nothing could count as read again.
    if (movedFrom.atMs > nowMs || sinceMs < movedFrom.atMs) return;
    const id = await reads.notReadSince(ids, movedFrom.atMs, nowMs);
    if (id === null) return;
    const named = isolated(cutText(textOfIdentity(id), MAX_ID_CHARS));
    throw new AppError(
      'CONFLICT',
      `${named} was read at ${movedFrom.baseUrl}, the former address of this connection, and not at the present one, where the same id may be another record. Nothing was sent.`,
      { outcome: 'unsent', nextStep: 'Read it again first: refresh the list or the record that has it.' },
    );
  };
}

/** The changes that a person requests now, as opposed to those that a job sends. */
export function withFormerCheck(resources: Resources, checkRead: CheckRead | undefined): Resources {
  if (checkRead === undefined) return resources;
  return {
    ...resources,
    act: async (request, options) => {
      await checkRead(idsIn(request));
      return resources.act(request, options);
    },
  };
}
