/** `create` and `update` for every resource, derived from the endpoint table. */
import { endpoint, type OperationId } from '../api/endpoints.ts';
import { AppError } from '../shared/errors.ts';
import { boundedBody } from '../shared/json-body.ts';
import { type Changed, changeOne } from './change-answers.ts';
import { CHANGE, changeEach } from './change-several.ts';
import type { CommandContext } from './context.ts';
import { checkFlags, findOperation, findResource } from './find-resource.ts';
import { readStandardInput } from './given-text.ts';
import { counted } from './human-text.ts';
import { readBodyObject } from './json-argument.ts';
import { pathInput, queryInput } from './operation-input.ts';
import { putInOutbox } from './outbox-command.ts';
import { planLine, planOf, startAtOf } from './planned-start.ts';
import { flagOf, pathParameters, type Resource, type Verb } from './resource-table.ts';

/** Runs `create RESOURCE [ID] --body …`. */
export async function create(context: CommandContext): Promise<void> {
  const { resource, operation } = chosen(context, 'create');
  const [, id = null, ...extra] = context.args.positionals;
  if (extra.length > 0 || (id !== null && pathParameters(endpoint(operation)).length === 0)) {
    throw new AppError('INVALID_ARGUMENT', `create ${resource.name} makes one new record and takes no id.`);
  }
  const body = await bodyFor(context, operation);
  const path = await pathInput(context, operation, id);
  if (context.args.flag('outbox')) return putInOutbox(context, operation, { path, body });
  await changeOne(
    context,
    () => 'created',
    () => send(context, operation, { path, body, id: null }),
  );
}

/** Runs `update RESOURCE ID... --body …`. Several records are changed by one bulk change, see change-several.ts. */
export async function update(context: CommandContext): Promise<void> {
  const { resource, operation } = chosen(context, 'update');
  if (context.args.text('body') === '-' && context.args.positionals.includes('-')) {
    throw new AppError('INVALID_ARGUMENT', 'Standard input holds either the body or the ids, not both.');
  }
  const body = await bodyFor(context, operation);
  const ids = await idsOf(context, operation);
  if (context.args.flag('plan')) return sayPlan(context, operation, ids);
  if (context.args.flag('outbox')) return putEach(context, operation, ids, body);
  const isLater = startAtOf(context) !== null;
  if (isLater) checkNamed(context, ids);
  if (ids.length > 1 || isLater) {
    // Safe type: the body was parsed from JSON.
    const request = { operation, nouns: resource.name, body: boundedBody.nullable().parse(body) };
    return changeEach(context, CHANGE, request, ids);
  }
  const [id = null] = ids;
  await changeOne(
    context,
    () => 'changed',
    async () => {
      const path = await pathInput(context, operation, id);
      return send(context, operation, { path, body, id });
    },
  );
}

/** Throws INVALID_ARGUMENT if a change that starts later names its record only by a flag, because it is stored by ids. */
export function checkNamed({ args }: CommandContext, ids: readonly string[]): void {
  if (ids.length > 0) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--start-at expects the records as ID: ${args.command} ${args.positionals[0]} ID --start-at WHEN. Nothing was sent.`,
  );
}

/** Makes one change for each record; without an id, for the record named by the flags. */
export async function putEach(
  context: CommandContext,
  operation: OperationId,
  ids: readonly string[],
  body: Record<string, unknown> | null,
): Promise<void> {
  for (const id of ids.length === 0 ? [null] : ids)
    await putInOutbox(context, operation, { path: await pathInput(context, operation, id), body });
}

/** Prints the cost of the change; sends nothing. */
async function sayPlan(
  context: CommandContext,
  operation: OperationId,
  ids: readonly string[],
): Promise<void> {
  const { title, help } = endpoint(operation);
  const plan = await planOf(context, [{ operation, count: Math.max(1, ids.length) }], startAtOf(context));
  context.output.answer({ operation, help, wouldChange: ids, plan }, () => [
    `${title}. ${help}`,
    ...ids,
    planLine(plan),
  ]);
}

/** The resource and operation of the first argument, whose flags are checked. */
export function chosen(context: CommandContext, verb: Verb): { resource: Resource; operation: OperationId } {
  const resource = findResource(verb, context.args.positionals[0]);
  const operation = findOperation(context, verb, resource);
  checkFlags(context, verb, resource, operation);
  return { resource, operation };
}

/** The given ids; for `-`, one id in each line of standard input. Throws INVALID_ARGUMENT if there is none. */
export async function idsOf(context: CommandContext, operation: OperationId): Promise<string[]> {
  const typed = context.args.positionals.slice(1);
  const given = await Promise.all(
    typed.map(async (id) => (id === '-' ? (await readStandardInput(context)).split('\n') : [id])),
  );
  const ids = given
    .flat()
    .map((id) => id.trim())
    .filter((id) => id !== '');
  const distinct = [...new Set(ids)];
  if (distinct.length < ids.length) {
    context.output.note(`${counted(ids.length - distinct.length, 'id')} repeated; each is sent once.`);
  }
  const isByFlag =
    typed.length === 0 &&
    context.args.given.some((flag) => pathParameters(endpoint(operation)).map(flagOf).includes(flag));
  if (distinct.length > 0 || isByFlag) return distinct;
  throw new AppError(
    'INVALID_ARGUMENT',
    `${context.args.command} expects ID: ids or names, or - to read them.`,
  );
}

export async function send(
  context: CommandContext,
  operation: OperationId,
  {
    path,
    body,
    id,
  }: { path: Record<string, string>; body: Record<string, unknown> | null; id: string | null },
): Promise<Changed> {
  const session = await context.session();
  const query = queryInput(context, operation);
  const result = await session.resources.act({ operation, path, query, body }, { signal: context.signal });
  return { operation, id, ...result };
}

async function bodyFor(
  context: CommandContext,
  operation: OperationId,
): Promise<Record<string, unknown> | null> {
  const body = await readBodyObject(context);
  if (body !== null || endpoint(operation).body === null) return body;
  throw new AppError('INVALID_ARGUMENT', `${context.args.command} expects --body JSON, @FILE or -.`);
}
