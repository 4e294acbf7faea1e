/** Estimates the cost of keeping data for offline use, from stored totals or from the first page of a list. */
import type { ServiceClient } from '../api/types.ts';
import type { FullFetch, Library } from '../library/types.ts';
import { toAppError } from '../shared/errors.ts';
import type { KeepEstimate, KeepPlan } from '../shared/keep-model.ts';
import type { BudgetShare } from './budget-share.ts';
import { isOfRequest } from './failed-request.ts';
import { followUps } from './follow-ups.ts';
import type { KeepRequest } from './keep-request.ts';
import { requestsOf, valuesOf } from './keep-requests.ts';
import type { KeepDeps } from './types.ts';

/** Number of value lists sampled to estimate all of them. */
const LOOKED_AT = 16;
/** Steps by the golden ratio sample every part of a list evenly, even if its rows repeat periodically. */
const GOLDEN = 0.618_033_988_75;
const READ_ROWS = 200;

interface Sum {
  requests: Map<string, number>;
  rows: number;
  sizeBytes: number;
  questions: number;
  withoutTotal: number;
}

interface EstimateDeps extends Pick<KeepDeps, 'settings' | 'windowsOf'> {
  library: Pick<Library, 'fetchAll' | 'readStored' | 'openRecord' | 'release'>;
  client: ServiceClient;
  share: BudgetShare;
  signal: AbortSignal;
}

export async function estimateKeeping(deps: EstimateDeps, plan: KeepPlan): Promise<KeepEstimate> {
  const sum: Sum = { requests: new Map(), rows: 0, sizeBytes: 0, questions: 0, withoutTotal: 0 };
  for (const request of requestsOf(plan)) {
    const found = await look(deps, request);
    add(deps, sum, request, found, 1);
    if (request.leadsTo === 'values') await addValues(deps, sum, plan, request, found);
    else await addFollowUps(deps, sum, plan, request, 1);
  }
  const requests = new Map([...sum.requests].map(([operation, count]) => [operation, wholeOf(count)]));
  const { rows, sizeBytes, questions, withoutTotal } = sum;
  return {
    requests: [...requests.values()].reduce((all, count) => all + count, 0),
    rows: Math.round(rows),
    sizeBytes: Math.round(sizeBytes),
    questions: wholeOf(questions),
    withoutTotal: wholeOf(withoutTotal),
    durationMs: durationOf(deps, requests),
    limits: [...requests].flatMap(([operation, count]) =>
      deps
        .windowsOf(operation)
        .map((window) => ({ operation, requests: count, count: window.count, lengthMs: window.lengthMs })),
    ),
  };
}

/** Rounds up a count that a sample has made a fraction, but not one that floating point has made slightly too large. */
function wholeOf(count: number): number {
  return Math.ceil(Number(count.toFixed(6)));
}

/** The stored data, or the first page from the service; null if the service refuses this list alone. */
async function look(deps: EstimateDeps, { query, form }: KeepRequest): Promise<FullFetch | null> {
  const { library, client, signal } = deps;
  const reading = { query, form, generationId: null, notBeforeMs: 0, until: 'page' as const };
  try {
    return await library.fetchAll({
      ...reading,
      client,
      signal,
      group: 'estimate',
      onProgress: () => undefined,
    });
  } catch (thrown) {
    if (isOfRequest(toAppError(thrown))) return null;
    throw thrown;
  }
}

/** `times`: number of similar requests that this one stands for. */
function add(
  deps: EstimateDeps,
  sum: Sum,
  request: KeepRequest,
  found: FullFetch | null,
  times: number,
): void {
  sum.questions += times;
  const { operation } = request.query;
  const total = found === null ? 0 : (found.totalRows ?? found.rows);
  const isList = request.form === 'list';
  if (found !== null && isList && found.totalRows === null && !found.isComplete) sum.withoutTotal += times;
  const pages = isList ? Math.max(1, Math.ceil(total / deps.settings().pageRows)) : 1;
  sum.requests.set(operation, (sum.requests.get(operation) ?? 0) + pages * times);
  if (found === null || found.rows === 0) return;
  sum.rows += Math.max(total, found.rows) * times;
  sum.sizeBytes += (found.sizeBytes / found.rows) * Math.max(total, found.rows) * times;
}

/** The first request of each operation stands for the others, which differ only in the column or bin. */
async function addFollowUps(
  deps: EstimateDeps,
  sum: Sum,
  plan: KeepPlan,
  request: KeepRequest,
  times: number,
): Promise<void> {
  const byOperation = Map.groupBy(
    await followUps(deps.library, plan, request),
    (each) => each.query.operation,
  );
  for (const [, alike] of byOperation) {
    const [first] = alike;
    if (first === undefined) continue;
    const count = alike.length * times;
    add(deps, sum, first, await look(deps, first), count);
    await addFollowUps(deps, sum, plan, first, count);
  }
}

/** Each entity has its own list of values. A sample of entities stands for all. */
async function addValues(
  deps: EstimateDeps,
  sum: Sum,
  plan: KeepPlan,
  { query }: KeepRequest,
  entities: FullFetch | null,
): Promise<void> {
  const known: KeepRequest[] = [];
  for (let from = 0; ; ) {
    const rows = await deps.library.readStored(query, from, READ_ROWS);
    const last = rows.at(-1);
    if (last === undefined) break;
    from = last.position + 1;
    known.push(...rows.flatMap(({ record }) => valuesOf(plan.id, record)));
  }
  if (known.length === 0) return;
  const all = Math.max(known.length, entities?.totalRows ?? 0);
  const chosen = new Set<KeepRequest>();
  for (let turn = 0; turn < LOOKED_AT; turn += 1) {
    const request = known[Math.floor(((turn * GOLDEN) % 1) * known.length)];
    if (request !== undefined) chosen.add(request);
  }
  const sample = [...chosen];
  for (const request of sample) add(deps, sum, request, await look(deps, request), all / sample.length);
}

/** The sum over the operations, whose requests run one after another, of what the slowest limit of each takes. */
export function durationOf(
  { windowsOf, share }: Pick<EstimateDeps, 'windowsOf' | 'share'>,
  requests: ReadonlyMap<string, number>,
): number {
  let durationMs = 0;
  for (const [operation, count] of requests) {
    const slowest = Math.max(
      0,
      ...windowsOf(operation).map((window) => (count / share.allowed(window) - 1) * window.lengthMs),
    );
    durationMs += slowest;
  }
  return Math.round(durationMs);
}
