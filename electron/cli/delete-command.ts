/**
 * `delete RESOURCE ID... --yes`. Without --yes, the command prints what would be deleted; with --plan, also the cost.
 */
import { endpoint, type OperationId } from '../api/endpoints.ts';
import { MAX_IDS_A_REQUEST } from '../shared/bulk-contract.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { boundedBody } from '../shared/json-body.ts';
import { bodyFields } from './body-fields.ts';
import type { Changed } from './change-answers.ts';
import { changeOne, sayFailed } from './change-answers.ts';
import { checkNamed, chosen, idsOf, putEach, send } from './change-commands.ts';
import { changeEach, DELETE, deleteTogether } from './change-several.ts';
import { isPreview, sayDoomed } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { type Dependent, dependentsOf } from './dependents.ts';
import { followTask } from './follow-task.ts';
import { numberText } from './human-text.ts';
import { bodyInput, pathInput } from './operation-input.ts';
import { putInOutbox } from './outbox-command.ts';
import { startAtOf } from './planned-start.ts';
import { readRecord } from './read-library.ts';
import { flagOf, pathParameters, type Resource } from './resource-table.ts';

export async function remove(context: CommandContext): Promise<void> {
  const { resource, operation } = chosen(context, 'delete');
  const ids = await idsOf(context, operation);
  const idField = bodyFields(operation).find(({ kind }) => kind === 'ids') ?? null;
  if (idField !== null) return removeTogether(context, operation, ids, idField);
  if (isPreview(context)) return preview(context, resource, operation, ids);
  if (context.args.flag('outbox')) return putEach(context, operation, ids, null);
  const isLater = startAtOf(context) !== null;
  if (isLater) checkNamed(context, ids);
  if (ids.length > 1 || isLater) {
    return changeEach(context, DELETE, { operation, nouns: resource.name, body: null }, ids);
  }
  const isWaited = !context.args.flag('no-wait');
  const word = ({ job, ended }: Changed) =>
    job === null || ended !== undefined ? 'deleted' : 'deletion started';
  const [id = null] = ids;
  await changeOne(context, word, async () => {
    const path = await pathInput(context, operation, id);
    const changed = await sendDeletion(context, operation, { path, body: null, id });
    if (changed.job === null || !isWaited) return changed;
    const ended = await followTask(context, changed.job.id);
    return ended === null ? changed : { ...changed, ended };
  });
}

/** Sends one deletion. "Not found" after an attempt without an answer means that the record was deleted. */
async function sendDeletion(
  context: CommandContext,
  operation: OperationId,
  what: Parameters<typeof send>[2],
): Promise<Changed> {
  try {
    return await send(context, operation, what);
  } catch (thrown) {
    const { code, details } = toAppError(thrown);
    const { status, requestId = '', isSentAgain } = details;
    if (code !== 'NOT_FOUND' || status !== 404 || isSentAgain !== true) throw thrown;
    context.output.note('The answer to an earlier attempt was lost. The record no longer exists.');
    return { operation, id: what.id, status, record: null, requestId, job: null };
  }
}

interface DoomedRecord {
  id: string;
  name: string | null;
  also: Dependent[];
}

/**
 * Prints each record with the number of its dependents. Deletes nothing, and fails so that no script takes the deletion
 * for done.
 */
async function preview(
  context: CommandContext,
  resource: Resource,
  operation: OperationId,
  ids: readonly string[],
): Promise<void> {
  const doomed: DoomedRecord[] = [];
  for (const id of ids.length === 0 ? [null] : ids) {
    try {
      doomed.push(await describe(context, resource, operation, id));
    } catch (thrown) {
      if (ids.length <= 1) throw thrown;
      sayFailed(context, operation, id ?? '', toAppError(thrown));
    }
  }
  if (doomed.length === 0) throw new AppError('NOT_FOUND', 'None of these was found. Nothing was deleted.');
  await sayPreview(context, operation, doomed, doomed.length);
}

async function sayPreview(
  context: CommandContext,
  operation: OperationId,
  doomed: readonly DoomedRecord[],
  requests: number,
): Promise<void> {
  const { title, help } = endpoint(operation);
  const count = doomed.length;
  await sayDoomed(context, {
    operation,
    requests,
    answer: (plan) => ({ operation, help, wouldDelete: doomed, plan }),
    lines: [`${title}. ${help}`, ...doomed.flatMap(linesOf)],
    what: count === 0 ? null : count === 1 ? 'it' : `these ${count}`,
  });
}

async function describe(
  context: CommandContext,
  { operations }: Resource,
  operation: OperationId,
  id: string | null,
): Promise<DoomedRecord> {
  const path = await pathInput(context, operation, id);
  const parameter = pathParameters(endpoint(operation)).at(-1) ?? '';
  const found = path[parameter] ?? '';
  const getter = operations.get[0];
  const record =
    getter === undefined ? {} : (await readRecord(context, { operation: getter, path, query: {} })).record;
  const name = record['name'];
  return {
    id: found,
    name: typeof name === 'string' ? name : null,
    also: await dependentsOf(context, parameter, found),
  };
}

function linesOf({ id, name, also }: DoomedRecord): string[] {
  const rest = also
    .map(({ what, count }) => `${what}: ${count === null ? 'not known' : numberText(count)}`)
    .join(', ');
  return [`${id}  ${name ?? ''}`, ...(rest === '' ? [] : [`  belongs to it or names it: ${rest}`])];
}

/** Deletes records with as many in each body as allowed, because requests count against a small daily limit. */
async function removeTogether(
  context: CommandContext,
  operation: OperationId,
  ids: readonly string[],
  idField: { name: string; most: number | null },
): Promise<void> {
  const { title } = endpoint(operation);
  const rest = await bodyInput(context, operation);
  const missing = bodyFields(operation).filter(
    ({ name, kind, isRequired }) => isRequired && kind !== 'ids' && rest[name] === undefined,
  );
  if (missing.length > 0) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `${title} expects ${missing.map(({ name }) => `--${flagOf(name)}`).join(', ')}.`,
    );
  }
  const size = Math.min(idField.most ?? MAX_IDS_A_REQUEST, MAX_IDS_A_REQUEST);
  if (isPreview(context)) {
    const doomed = ids.map((id) => ({ id, name: null, also: [] }));
    return sayPreview(context, operation, doomed, Math.ceil(ids.length / size));
  }
  // Safe type: every value is a flag of this command or comes from its body, which was parsed from JSON.
  const body = boundedBody.parse(rest);
  if (context.args.flag('outbox'))
    return putInOutbox(context, operation, { path: {}, body: { ...body, [idField.name]: [...ids] } });
  const [only] = ids;
  if (ids.length === 1 && only !== undefined && startAtOf(context) === null) {
    const one = { path: {}, body: { ...body, [idField.name]: [only] }, id: only };
    await changeOne(
      context,
      () => 'deleted',
      () => send(context, operation, one),
    );
    return;
  }
  await deleteTogether(context, operation, body, ids, { name: idField.name, most: size });
}
