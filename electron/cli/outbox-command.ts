/** `outbox`: lists, shows, edits, sends or discards pending changes. `--outbox` of other commands adds one. */
import type { OperationId } from '../api/endpoints.ts';
import type { Session } from '../engine/session.ts';
import { readOf } from '../resources/change-check.ts';
import { AppError, fromWire, toAppError } from '../shared/errors.ts';
import { boundedBody, type JsonObject } from '../shared/json-body.ts';
import { localTimeText, momentText } from '../shared/local-time.ts';
import { compareFields, type OutboxEntry } from '../shared/outbox-model.ts';
import { byId, chosenAction } from './choose.ts';
import { checkForgetting } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { noteDamaged } from './damaged-notes.ts';
import { type Followed, follow, untilRest } from './follow.ts';
import { counted, readable } from './human-text.ts';
import { readBodyObject } from './json-argument.ts';
import { queryInput } from './operation-input.ts';
import { table } from './output.ts';
import { startAtOf } from './planned-start.ts';
import { readRecord } from './read-library.ts';
import { jsonText } from './terminal-text.ts';

const ACTIONS = { show: [], send: ['mine'], edit: ['body'], discard: ['yes'], forget: ['yes'] };

/**
 * Runs `outbox`, `outbox show ID`, `outbox send [ID] [--mine]`, `outbox edit ID --body JSON` and `outbox discard ID`.
 */
export async function outbox(context: CommandContext): Promise<void> {
  const [, given] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  const session = await context.session();
  const all = session.outbox.list();
  if (action === undefined) {
    noteDamaged(context, session, 'outbox');
    return list(context, all);
  }
  if (given === undefined && context.args.flag('mine'))
    throw new AppError(
      'INVALID_ARGUMENT',
      'outbox send --mine expects the ID of one change: its record has changed, and each has to be looked at.',
    );
  if (action === 'send' && given === undefined) return sendAll(context, session);
  if (given === undefined)
    throw new AppError('INVALID_ARGUMENT', `outbox ${action} expects an ID. Run outbox for the list.`);
  const choice = {
    all,
    idOf: ({ entryId }: OutboxEntry) => entryId,
    what: 'change',
    reason: ' in the outbox',
  };
  const entry = byId(context, given, choice);
  const { entryId, title, question } = entry;
  await session.jobs.whenJudged('outbox', entryId);
  switch (action) {
    case 'show':
      return show(context, entry);
    case 'send':
      if (context.args.flag('mine') && question !== null) session.outbox.decide(entryId, 'resend');
      else session.outbox.send(entryId);
      return follow(context, session, OUTBOX, entryId);
    case 'edit': {
      const body = await readBodyObject(context);
      if (body === null)
        throw new AppError('INVALID_ARGUMENT', 'outbox edit expects --body JSON, @FILE or -.');
      return say(context, session.outbox.edit(entryId, boundedBody.parse(body)));
    }
    case 'discard':
      checkForgetting(context, `${title}: it will not be sent`);
      return say(context, session.outbox.discard(entryId));
    case 'forget':
      checkForgetting(context, `${title} and its result`);
      session.outbox.forget(entryId);
      return context.output.answer({ entryId }, () => [`Forgotten: ${title}.`]);
  }
}

/** Adds a change to the outbox instead of sending it. Throws the errors of `Outbox.put`. */
export async function putInOutbox(
  context: CommandContext,
  operation: OperationId,
  { path, body }: { path: Record<string, string>; body: Record<string, unknown> | null },
): Promise<void> {
  const { outbox: own } = await context.session();
  const query = queryInput(context, operation);
  // Safe type: the body was parsed from JSON.
  const request = { operation, path, query, body: boundedBody.nullable().parse(body) };
  const entry = own.put({ request, base: await seenRecord(context, operation, path) }, startAtOf(context));
  say(context, entry);
}

/** The record to be changed as it is now; null if it cannot be read. */
async function seenRecord(
  context: CommandContext,
  operation: OperationId,
  path: Record<string, string>,
): Promise<JsonObject | null> {
  const reading = readOf(operation);
  if (reading === null) return null;
  try {
    const { record } = await readRecord(context, { operation: reading, path, query: {} });
    return boundedBody.parse(record);
  } catch (thrown) {
    const { message } = toAppError(thrown);
    context.output.note(
      `The record could not be read, so it has to be compared before this change is sent. ${message}`,
    );
    return null;
  }
}

async function sendAll(context: CommandContext, session: Session): Promise<void> {
  const { outbox: own } = session;
  const waiting = own.list().filter(({ state, startAtMs }) => IS_SENT.has(state) && startAtMs === null);
  own.sendAll();
  let first: AppError | null = null;
  for (const { entryId } of waiting) {
    if (context.signal.aborted)
      throw new AppError('CANCELLED', 'Stopped. What was not sent stays in the outbox.');
    await untilSent(context, session, entryId);
    const ended = own.get(entryId);
    say(context, ended);
    first ??= problemOf(ended);
  }
  const left = own.list().filter(({ state }) => state === 'needs-decision');
  if (left.length > 0) throw needsDecision(`${counted(left.length, 'change')} of the outbox`, left[0]);
  if (first !== null) throw first;
  if (waiting.length === 0) context.output.answer({ sent: 0 }, () => 'Nothing waits in the outbox.');
}

/** States of changes that `sendAll` sends. */
const IS_SENT = new Set<OutboxEntry['state']>(['ready', 'paused']);

async function untilSent(context: CommandContext, session: Session, entryId: string): Promise<OutboxEntry> {
  const { outbox: own } = session;
  let isOver = false;
  const whole = own.whenSent().then(() => {
    isOver = true;
  });
  const changed = () => own.get(entryId);
  while (!isOver && IS_SENT.has(changed().state) && !context.signal.aborted) {
    const next = Promise.withResolvers<void>();
    const stop = context.listen('jobs:changed', ({ id }) => {
      if (id === entryId) next.resolve();
    });
    await Promise.race([next.promise, whole]);
    stop();
  }
  return untilRest(context, session, OUTBOX, entryId);
}

/** Follows a change until it was sent, or waits for a person. */
export const OUTBOX: Followed<'outbox'> = {
  kind: 'outbox',
  word: 'outbox',
  stays: (id) => `It stays in the outbox: outbox send ${id}`,
  onInterrupt: ({ outbox: own }) => own.stop(),
  answer: (context, _session, ended) => {
    say(context, ended);
    const problem = problemOf(ended);
    if (problem !== null) throw problem;
  },
};

function problemOf(entry: OutboxEntry): AppError | null {
  const { state, error, title, reason, startAtMs } = entry;
  if (state === 'done' || startAtMs !== null) return null;
  if (state === 'needs-decision') return needsDecision(`${title}: ${reason}`, entry);
  if (error !== null) return fromWire(error);
  return new AppError('CANCELLED', `It was not sent. ${reason}`.trim(), { outcome: 'unsent' });
}

function needsDecision(what: string, entry: OutboxEntry | undefined): AppError {
  const id = entry?.entryId ?? 'ID';
  return new AppError(
    'NEEDS_DECISION',
    `${what} ${what.endsWith('.') ? 'It waits' : 'waits'} for a decision.`,
    {
      outcome: 'unsent',
      nextStep: `See what differs: outbox show ${id}. Then: outbox send ${id} --mine, outbox edit ${id} --body JSON, or outbox discard ${id} --yes`,
    },
  );
}

function say({ output }: CommandContext, entry: OutboxEntry): void {
  output.answer(entry, () => [`${entry.entryId}  ${wordOf(entry)}  ${entry.title}`]);
}

function wordOf({ state, result, startAtMs }: OutboxEntry): string {
  if (startAtMs !== null) return 'planned';
  if (state !== 'done') return state === 'ready' ? 'in the outbox' : state;
  return result?.how === 'same' ? 'already done' : 'sent';
}

function list({ output }: CommandContext, all: readonly OutboxEntry[]): void {
  output.answer({ items: all, total: all.length, complete: true, asOf: null }, () =>
    all.length === 0
      ? 'The outbox is empty.'
      : table(
          all
            .map((entry) => ({
              id: entry.entryId,
              state: wordOf(entry),
              what: entry.title,
              since: localTimeText(entry.createdAtMs),
              reason: entry.error?.message ?? entry.reason,
            }))
            .map(readable),
          ['id', 'state', 'what', 'since', 'reason'],
        ),
  );
}

/** Prints the exact request, then each field as it was seen, as it is wanted, and as the service has it now. */
function show({ output }: CommandContext, entry: OutboxEntry): void {
  const { line, request, base, theirs, change, reason, error, needs, result } = entry;
  const fields = change === 'create' ? [] : compareFields(base, request.body, theirs);
  const shown = (value: unknown) => (value === undefined ? '' : jsonText(value, 0));
  const rows = fields.map((row) => ({
    field: row.field,
    base: shown(row.base),
    mine: change === 'delete' ? '' : shown(row.mine),
    theirs: shown(row.theirs),
    conflict: row.isConflict ? 'differs' : '',
  }));
  output.answer({ ...entry, fields }, () => [
    `${wordOf(entry)}  ${entry.title}`,
    line,
    ...(request.body === null ? [] : jsonText(request.body, 2).split('\n')),
    ...(reason === '' && error === null ? [] : [error?.message ?? reason]),
    ...needs.map(({ title, state }) => `needs: ${title} (${state ?? 'removed'})`),
    ...(result === null ? [] : [`${result.how} ${momentText(result.atMs)}  ${result.status ?? ''}`.trim()]),
    ...(rows.length === 0
      ? []
      : String(table(rows.map(readable), ['field', 'base', 'mine', 'theirs', 'conflict'])).split('\n')),
  ]);
}
