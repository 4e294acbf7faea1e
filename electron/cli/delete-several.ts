/** Deletes several records through one act that is kept: it can begin later and be gone on with after any end. */
import { endpoint, type OperationId } from '../api/endpoints.ts';
import type { Session } from '../engine/session.ts';
import { systemClock } from '../platform/system.ts';
import { type BulkRecord, type BulkRequest, RECORDS_A_MESSAGE } from '../shared/bulk-contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json-body.ts';
import type { TrafficPlan } from '../shared/traffic-model.ts';
import { sayFailed } from './change-answers.ts';
import type { CommandContext } from './context.ts';
import { followBulk, planText } from './follow-bulk.ts';
import { pathInput, queryInput } from './operation-input.ts';
import { pathParameters } from './resource-table.ts';
import { localTimeText, parseStartTime } from './start-time.ts';

/** Wall time of --start-at, or null. */
export function startAt({ args }: CommandContext): number | null {
  const typed = args.text('start-at');
  return typed === null ? null : parseStartTime(typed, systemClock.nowMs());
}

export async function planOf(
  context: CommandContext,
  operation: OperationId,
  count: number,
): Promise<TrafficPlan> {
  const { connection } = await context.session();
  return context.engine.traffic.plan(connection.id, [{ operation, count }], startAt(context));
}

/** One request for each record. An id or name that is not found is said and not sent. */
export async function deleteEach(
  context: CommandContext,
  operation: OperationId,
  nouns: string,
  ids: readonly string[],
): Promise<void> {
  const name = pathParameters(endpoint(operation)).at(-1) ?? '';
  const typed = new Map<string, string>();
  let fixed: Record<string, string> = {};
  let refused = 0;
  for (const id of ids) {
    try {
      const { [name]: found = id, ...rest } = await pathInput(context, operation, id);
      typed.set(found, id);
      fixed = rest;
    } catch (thrown) {
      refused += 1;
      sayFailed(context, operation, id, toAppError(thrown));
    }
  }
  if (typed.size === 0) throw new AppError('NOT_FOUND', 'None of these was found. Nothing was deleted.');
  const request: BulkRequest = {
    operation,
    path: fixed,
    query: queryInput(context, operation),
    body: null,
    ids: { place: 'path', name },
  };
  const records = [...typed].map(([id, said]) => ({ id, name: said }));
  await run(context, request, nouns, records, { typedOf: (id) => typed.get(id) ?? id, refused });
}

/** Records that are named in the body, as many in a request as it takes. */
export async function deleteTogether(
  context: CommandContext,
  operation: OperationId,
  body: JsonObject,
  ids: readonly string[],
  field: { name: string; most: number },
): Promise<void> {
  const request: BulkRequest = {
    operation,
    path: {},
    query: {},
    body,
    ids: { place: 'body', ...field },
  };
  const records = ids.map((id) => ({ id, name: id }));
  await run(context, request, operation.split('.')[0] ?? operation, records, {});
}

async function run(
  context: CommandContext,
  request: BulkRequest,
  nouns: string,
  records: readonly BulkRecord[],
  said: { typedOf?: (id: string) => string; refused?: number },
): Promise<void> {
  const session = await context.session();
  checkOnline(session);
  const perRequest = request.ids.place === 'body' ? request.ids.most : 1;
  const { operation } = request;
  const calls = Math.ceil(records.length / perRequest);
  const plan = context.engine.traffic.plan(
    session.connection.id,
    [{ operation, count: calls }],
    startAt(context),
  );
  context.output.note(planText(plan));
  if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. Nothing was sent.');
  const startAtMs = startAt(context);
  const act = create(session, request, nouns, records, startAtMs);
  if (startAtMs !== null) {
    context.output.note(`Starts at ${localTimeText(startAtMs)}. Keep this running until then.`);
  }
  await followBulk(context, session, act, said);
}

function checkOnline({ network }: Session): void {
  if (!network.isSwitchedOff()) return;
  throw new AppError('OFFLINE', 'Working offline. Nothing was sent.', { outcome: 'unsent' });
}

function create(
  { bulk }: Session,
  request: BulkRequest,
  nouns: string,
  records: readonly BulkRecord[],
  startAtMs: number | null,
) {
  const noun = nouns.replace(/s$/, '');
  const title = `Delete ${records.length} ${records.length === 1 ? noun : nouns}`;
  const words = { title, noun, nouns, going: 'Deleting', done: 'deleted' };
  const total = records.length;
  let act = bulk.create({ request, words, records: records.slice(0, RECORDS_A_MESSAGE), total, startAtMs });
  for (let from = RECORDS_A_MESSAGE; from < total; from += RECORDS_A_MESSAGE) {
    act = bulk.add(act.bulkId, records.slice(from, from + RECORDS_A_MESSAGE));
  }
  return act;
}
