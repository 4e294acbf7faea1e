/** Writes a change of many records down: all that is checked before anything is kept. */
import { NEW_BULK } from '../core/jobs/bulk-act.ts';
import { futureStart } from '../core/jobs/start-plan.ts';
import type { StoredBulkAct } from '../db/upload-store.ts';
import type { ActRequest } from '../resources/types.ts';
import type { BulkRecord, BulkRequest } from '../shared/bulk-contract.ts';
import { AppError } from '../shared/errors.ts';
import { countsOf, recordsPerRequest } from './bulk-ledger.ts';
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
  const act = { ...core, ...times, id: random.uuid(), request, words, total, wantedStartMs: startAtMs };
  store.commit(() => {
    store.bulk.create(act);
    addItems(deps, act, 0, records);
  });
  return act.id;
}

/** Answers how many are named now. Throws INVALID_ARGUMENT for more than its total. */
export function addRecords(deps: BulkDeps, act: StoredBulkAct, records: readonly BulkRecord[]): number {
  const { store } = deps;
  const known = Object.values(countsOf(store, act.id)).reduce((sum, count) => sum + count, 0);
  if (act.state !== 'collecting' || known + records.length > act.total)
    throw tooMany(act.total, known, records.length);
  store.commit(() => addItems(deps, act, known, records));
  return known + records.length;
}

function tooMany(total: number, known: number, given: number): AppError {
  const found = `it has ${known}, and ${given} more were sent`;
  return new AppError('INVALID_ARGUMENT', `Expected ${total} records in all; ${found}.`);
}

function addItems(
  { store }: BulkDeps,
  { id, request }: StoredBulkAct,
  from: number,
  records: readonly BulkRecord[],
): void {
  const { bulkParts } = store;
  const perRequest = recordsPerRequest(request);
  for (let at = 0; at < records.length; ) {
    const part = Math.floor((from + at) / perRequest);
    const known = bulkParts.get(id, part)?.records ?? [];
    const more = records.slice(at, at + perRequest - known.length);
    const all = [...known, ...more];
    bulkParts.save(id, { part, records: all, state: 'waiting', attempts: 0, error: null });
    at += more.length;
  }
}

/** A request as it will be sent, for the checks that need no record. */
function sampleOf({ operation, path, query, body, ids }: BulkRequest): ActRequest {
  if (ids.place === 'body') return { operation, path, query, body: { ...body, [ids.name]: ['id'] } };
  return { operation, path: { ...path, [ids.name]: 'id' }, query, body };
}
