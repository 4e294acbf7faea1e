/**
 * Deletes or changes several records by one stored bulk change: it can start later and be resumed after any
 * interruption.
 */
import { endpoint, isOperationId, type OperationId } from '../api/endpoints.ts';
import type { Session } from '../engine/session.ts';
import { readOf } from '../resources/change-check.ts';
import type { BulkRecord, BulkRequest } from '../shared/bulk-contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { JsonObject } from '../shared/json-body.ts';
import { withMarks } from '../shared/seen-record.ts';
import { sayFailed } from './change-answers.ts';
import type { CommandContext } from './context.ts';
import { followBulk } from './follow-bulk.ts';
import { numberText } from './human-text.ts';
import { pathInput, queryInput } from './operation-input.ts';
import { planLine, planOf, sayPlanned, startAtOf } from './planned-start.ts';
import { pathParameters } from './resource-table.ts';

/** The words for a kind of change. */
interface Deed {
  title: 'Delete' | 'Change';
  going: 'Deleting' | 'Changing';
  done: 'deleted' | 'changed';
}
export const DELETE: Deed = { title: 'Delete', going: 'Deleting', done: 'deleted' };
export const CHANGE: Deed = { title: 'Change', going: 'Changing', done: 'changed' };

/** Sends one request for each record, with the same body. An id or name that is not found is reported and not sent. */
export async function changeEach(
  context: CommandContext,
  deed: Deed,
  { operation, nouns, body }: { operation: OperationId; nouns: string; body: JsonObject | null },
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
  if (typed.size === 0) throw new AppError('NOT_FOUND', `None of these was found. Nothing was ${deed.done}.`);
  const request: BulkRequest = {
    operation,
    path: fixed,
    query: queryInput(context, operation),
    body,
    ids: { place: 'path', name },
  };
  const records = [...typed].map(([id, said]) => ({ id, name: said }));
  await run(context, { request, deed, nouns, records }, { typedOf: (id) => typed.get(id) ?? id, refused });
}

/** Deletes records that are named in the body, with as many in each request as allowed. */
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
  const nouns = operation.split('.')[0] ?? operation;
  await run(context, { request, deed: DELETE, nouns, records }, {});
}

interface NewAct {
  request: BulkRequest;
  deed: Deed;
  nouns: string;
  records: readonly BulkRecord[];
}

async function run(
  context: CommandContext,
  wanted: NewAct,
  said: { typedOf?: (id: string) => string; refused?: number },
): Promise<void> {
  const session = await context.session();
  checkOnline(session);
  const { request, records } = wanted;
  const perRequest = request.ids.place === 'body' ? request.ids.most : 1;
  const count = Math.ceil(records.length / perRequest);
  const startAtMs = startAtOf(context);
  const changes = { operation: request.operation, count };
  const reads = startAtMs === null ? [] : readsOf(wanted);
  const plan = await planOf(context, [changes, ...reads], startAtMs);
  context.output.note(`Plan: ${planLine(plan)}.`);
  checkNotStopped(context);
  const compared = startAtMs === null ? wanted : await withSeen(context, session, wanted);
  checkNotStopped(context);
  const act = await create(session, compared, startAtMs);
  if (startAtMs !== null) sayPlanned(context, startAtMs);
  await followBulk(context, session, act, said);
}

/** Throws CANCELLED after Ctrl-C. */
function checkNotStopped({ signal }: CommandContext): void {
  if (signal.aborted) throw new AppError('CANCELLED', 'Stopped. Nothing was sent.');
}

/** The requests by which a planned change compares its records before it changes them. */
function readsOf({ request: { operation, ids }, records }: NewAct): { operation: string; count: number }[] {
  const reading = ids.place === 'path' && isOperationId(operation) ? readOf(operation) : null;
  return reading === null ? [] : [{ operation: reading, count: records.length }];
}

/**
 * Reads the records of a planned change, so that at its time it leaves those alone that changed meanwhile. Rejects with
 * the errors of reading, and CANCELLED after Ctrl-C.
 */
async function withSeen(context: CommandContext, { resources }: Session, wanted: NewAct): Promise<NewAct> {
  const { request, records, nouns } = wanted;
  const { signal, output } = context;
  const { operation, path, query, body, ids } = request;
  if (ids.place === 'body') return wanted;
  const seen: (JsonObject | null)[] = [];
  for (const { id } of records) {
    checkNotStopped(context);
    output.progress(`Reading ${nouns}: ${numberText(seen.length)} of ${numberText(records.length)}`);
    const change = { operation, path: { ...path, [ids.name]: id }, query, body };
    const target = await resources.readTarget(change, { signal });
    seen.push(target.kind === 'record' ? target.record : null);
  }
  const { records: marked, ...compared } = withMarks(records, seen, body);
  return { ...wanted, request: { ...request, ...compared }, records: marked };
}

function checkOnline({ network }: Session): void {
  if (!network.isSwitchedOff()) return;
  throw new AppError('OFFLINE', 'Working offline. Nothing was sent.', { outcome: 'unsent' });
}

function create({ bulk }: Session, { request, deed, nouns, records }: NewAct, startAtMs: number | null) {
  const noun = nouns.replace(/s$/, '');
  const title = `${deed.title} ${records.length} ${records.length === 1 ? noun : nouns}`;
  const words = { title, noun, nouns, going: deed.going, done: deed.done };
  return bulk.create({ request, words, records, startAtMs });
}
