/**
 * Withholds changes of records that are known only from the former address of a connection: at the new address, e.g. at
 * a copy of the service, the same id may be another record. Jobs that were created before the change of the address are
 * paused when their store is opened; whoever resumes them knows that the service is the same.
 */
import type { Clock } from '../core/ports.ts';
import type { FormerReads } from '../db/former-reads.ts';
import type { ActRequest, Resources } from '../resources/types.ts';
import { cutText } from '../shared/cut-text.ts';
import { AppError } from '../shared/errors.ts';
import { textOfIdentity } from '../shared/item-row.ts';
import type { Connection } from '../shared/model.ts';
import { isolated } from '../shared/untrusted-text.ts';

interface FormerRecordsDeps {
  connection: Pick<Connection, 'movedFrom'>;
  /** Null if the library could not be opened. */
  reads: FormerReads | null;
  clock: Pick<Clock, 'nowMs'>;
}

/** Throws CONFLICT if one of these ids was read only at the former address; then nothing was sent. */
export type CheckRead = (ids: readonly string[]) => void;

const MAX_ID_CHARS = 80;

export function createFormerCheck({ connection, reads, clock }: FormerRecordsDeps): CheckRead {
  const { movedFrom } = connection;
  if (movedFrom === undefined || reads === null) return () => undefined;
  return (ids) => {
    const nowMs = clock.nowMs();
    // The clock was ahead at the move, and was set back since: nothing could count as read again.
    if (movedFrom.atMs > nowMs) return;
    const id = reads.notReadSince(ids, movedFrom.atMs, nowMs);
    if (id === null) return;
    const named = isolated(cutText(textOfIdentity(id), MAX_ID_CHARS));
    throw new AppError(
      'CONFLICT',
      `${named} was read at ${movedFrom.baseUrl}, the former address of this connection, and not at the present one, where the same id may be another record. Nothing was sent.`,
      { outcome: 'unsent', nextStep: 'Read it again first: refresh the list or the record that has it.' },
    );
  };
}

/** Ids in the path of a change, and in the fields of its body that are named like ids. */
function idsIn({ path, body }: Pick<ActRequest, 'path' | 'body'>): string[] {
  const named = Object.entries(body ?? {}).filter(([name]) => /_ids?$/.test(name));
  return [...Object.values(path), ...named.flatMap(([, value]) => value)].filter(
    (value): value is string => typeof value === 'string',
  );
}

/** The changes that a person requests now, as opposed to those that a job sends. */
export function withFormerCheck(resources: Resources, checkRead: CheckRead): Resources {
  return {
    ...resources,
    act: async (request, options) => {
      checkRead(idsIn(request));
      return resources.act(request, options);
    },
  };
}
