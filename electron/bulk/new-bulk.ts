/** Checks a new bulk change completely, then stores it. */

import { NEW_BULK } from '../core/jobs/bulk-act.ts';
import { futureStart } from '../core/jobs/start-plan.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { ActRequest } from '../resources/types.ts';
import type { BulkRecord, BulkRequest } from '../shared/bulk-contract.ts';
import { recordsPerRequest } from './bulk-ledger.ts';
import type { BulkDeps, NewBulk } from './types.ts';

/** Number of requests stored per batch, so that other tasks can run in between. */
const PARTS_AT_ONCE = 200;

/** Returns the id once the whole change is on disk. Throws the errors of `Bulk.create`; then nothing was stored. */
export async function writeDown(
  deps: BulkDeps,
  { request, words, records, startAtMs }: NewBulk,
): Promise<string> {
  const { store, random, clock, blockingError, resources } = deps;
  const refused = blockingError();
  if (refused?.code === 'READ_ONLY') throw refused;
  resources.checkRepeatable(sampleOf(request));
  await deps.checkRead?.([...Object.values(request.path), ...records.map(({ id }) => id)]);
  const start = startAtMs === null ? null : futureStart(startAtMs, clock.nowMs());
  const { counts: _, ...core } = NEW_BULK;
  const begin =
    start === null ? core : { ...core, state: 'scheduled' as const, reason: '', startAtMs: start };
  const times = { createdAtMs: clock.nowMs(), endedAtMs: null };
  const act = { ...begin, ...times, id: random.uuid(), request, words, total: records.length };
  store.commit(() => store.bulk.create(act, true));
  try {
    await addParts(deps, act.id, request, records);
    store.commit(() => store.bulk.show(act.id));
  } catch (thrown) {
    store.commit(() => store.bulk.remove(act.id));
    throw thrown;
  }
  return act.id;
}

async function addParts(
  { store, clock }: BulkDeps,
  id: string,
  request: BulkRequest,
  records: readonly BulkRecord[],
): Promise<void> {
  const perRequest = recordsPerRequest(request);
  const parts = Math.ceil(records.length / perRequest);
  const slicer = new TimeSlicer(clock);
  for (let from = 0; from < parts; from += PARTS_AT_ONCE) {
    store.commit(() => {
      for (let part = from; part < Math.min(parts, from + PARTS_AT_ONCE); part += 1) {
        const own = records.slice(part * perRequest, (part + 1) * perRequest);
        store.bulkParts.save(id, { part, records: own, state: 'waiting', attempts: 0, error: null });
      }
    });
    await slicer.pause();
  }
}

/** A request as it will be sent, for checks that need no real record. */
function sampleOf({ operation, path, query, body, ids }: BulkRequest): ActRequest {
  if (ids.place === 'body') return { operation, path, query, body: { ...body, [ids.name]: ['id'] } };
  return { operation, path: { ...path, [ids.name]: 'id' }, query, body };
}
