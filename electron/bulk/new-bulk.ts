/** Writes a change of many records down: all that is checked before anything is kept. */
import { NEW_BULK } from '../core/jobs/bulk-act.ts';
import { futureStart } from '../core/jobs/start-plan.ts';
import type { StoredBulkAct } from '../db/upload-store.ts';
import type { ActRequest } from '../resources/types.ts';
import type { BulkRecord, BulkRequest } from '../shared/bulk-contract.ts';
import { AppError } from '../shared/errors.ts';
import type { BulkDeps, NewBulk } from './types.ts';

/** Answers its id. Throws what `Bulk.create` says; then nothing was kept. */
export function writeDown(deps: BulkDeps, { request, words, records, total, startAtMs }: NewBulk): string {
  const { store, random, clock, refusal, resources } = deps;
  const refused = refusal();
  if (refused?.code === 'READ_ONLY') throw refused;
  if (records.length > total) throw tooMany(total, 0, records.length);
  resources.checkRepeatable(sampleOf(request));
  if (startAtMs !== null) futureStart(startAtMs, clock.nowMs());
  const { counts: _, ...core } = NEW_BULK;
  const times = { createdAtMs: clock.nowMs(), endedAtMs: null };
  // The time is kept until all records are named; the state says that nothing begins before.
  const act = { ...core, ...times, bulkId: random.uuid(), request, words, total, startAtMs };
  store.commit(() => {
    store.bulk.create(act);
    addItems(deps, act, 0, records);
  });
  return act.bulkId;
}

/** Answers how many are named now. Throws INVALID_ARGUMENT for more than its total. */
export function addRecords(deps: BulkDeps, act: StoredBulkAct, records: readonly BulkRecord[]): number {
  const { store } = deps;
  const known = store.bulk.count(act.bulkId, null);
  if (act.state !== 'collecting' || known + records.length > act.total)
    throw tooMany(act.total, known, records.length);
  store.commit(() => addItems(deps, act, known, records));
  return known + records.length;
}

function tooMany(total: number, known: number, given: number): AppError {
  const found = `it has ${known} and ${given} more were given`;
  return new AppError('INVALID_ARGUMENT', `Expected ${total} records in all; ${found}.`);
}

function addItems(
  { store }: BulkDeps,
  { bulkId, request }: StoredBulkAct,
  from: number,
  records: readonly BulkRecord[],
): void {
  const perRequest = request.ids.place === 'body' ? request.ids.most : 1;
  const items = records.map((record, index) => ({
    ...record,
    position: from + index,
    part: Math.floor((from + index) / perRequest),
  }));
  store.bulk.addItems(bulkId, items);
}

/** A request as it will be sent, for the checks that need no record. */
function sampleOf({ operation, path, query, body, ids }: BulkRequest): ActRequest {
  if (ids.place === 'body') return { operation, path, query, body: { ...body, [ids.name]: ['id'] } };
  return { operation, path: { ...path, [ids.name]: 'id' }, query, body };
}
