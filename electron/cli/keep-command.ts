/** `keep KIND ID`: reads data completely for offline use. `kept`: lists kept data, and acts on it. */
import type { OperationId } from '../api/endpoints.ts';
import type { Session } from '../engine/session.ts';
import { systemClock } from '../platform/system.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import {
  KEEP_KINDS,
  type KeepKind,
  type KeepPlan,
  type Kept,
  keepPlan,
  rangeUpToDay,
} from '../shared/keep-model.ts';
import { localTimeText } from '../shared/local-time.ts';
import { shownName } from '../shared/plan-bounds.ts';
import { readyBy } from '../shared/ready-by.ts';
import { byId, checkWords, chosenAction } from './choose.ts';
import { checkForgetting } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { noteDamaged } from './damaged-notes.ts';
import { type Followed, follow, untilRest } from './follow.ts';
import { counted, numberText, readable, sizeText } from './human-text.ts';
import { resolveName } from './names.ts';
import { tableOr } from './output.ts';
import { savedChart } from './saved-charts.ts';
import { acceptSchema, noteSchemaChanges, schemaChanges } from './schema-changes.ts';
import { parseStartTime } from './start-time.ts';
import { didYouMean } from './suggestions.ts';
import { lengthMs } from './time-range.ts';
import { pointOf } from './typed-time.ts';

const LISTS: Readonly<Record<Exclude<KeepKind, 'chart' | 'board'>, OperationId>> = {
  application: 'applications.list',
  dataset: 'datasets.list',
  experiment: 'experiments.list',
  model: 'models.list',
  'alert-rule': 'alert-rules.list',
};
/** Boards are excluded: they are kept from their view, which knows their charts. */
const KINDS = KEEP_KINDS.filter((kind) => kind !== 'board');
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** Options that only some kinds of data have. */
const OWN_FLAGS: Readonly<Partial<Record<KeepKind, readonly string[]>>> = {
  application: ['since', 'no-values'],
  'alert-rule': ['since'],
};
/** Time range for an alert rule if --since is absent. */
const HISTORY_MS = 90 * DAY_MS;

/** Keeps data, e.g. `keep application "Support assistant" --since 30d`; with `--plan`, prints only the cost. */
export async function keep(context: CommandContext): Promise<void> {
  const plan = await planOf(context);
  const hours = hoursOf(context);
  const session = await context.session();
  const estimate = await session.keep.estimate(plan, context.signal);
  const cost = `${counted(estimate.requests, 'request')}, ${counted(estimate.rows, 'row')}, about ${sizeText(estimate.sizeBytes)}`;
  if (context.args.flag('plan')) {
    context.output.answer(estimate, () => `${cost}\nThis is the cost alone: nothing was kept by it.`);
    return;
  }
  context.output.note(`Plan: ${cost}.`);
  const startedMs = systemClock.nowMs();
  const all = session.keep.list();
  const { keptId, refreshHours } = session.keep.start(plan, hours);
  const before = all.find((each) => each.keptId === keptId);
  if (before !== undefined) {
    const isOther = before.refreshHours !== refreshHours;
    context.output.note(
      `It was kept already and is read again${isOther ? ', from now on as --every says' : ''}.`,
    );
  }
  await follow(context, session, KEPT, keptId);
  await noteSchemaChanges(context, session, startedMs);
}

async function planOf(context: CommandContext): Promise<KeepPlan> {
  const { args } = context;
  const [typed, given] = args.positionals;
  const kind = KINDS.find((each) => each === typed);
  if (kind === undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `keep expects KIND, one of ${KINDS.join(', ')}; got ${typed ?? 'nothing'}.${didYouMean(typed ?? '', KINDS)}`,
    );
  }
  if (given === undefined) throw new AppError('INVALID_ARGUMENT', `keep ${kind} expects an id or a name.`);
  const extra = ['since', 'no-values'].find(
    (name) => args.given.includes(name) && !OWN_FLAGS[kind]?.includes(name),
  );
  if (extra !== undefined) throw new AppError('INVALID_ARGUMENT', `keep ${kind} takes no --${extra}.`);
  const nothing = { range: null, withValues: false, entities: null, body: null };
  if (kind === 'chart') return { ...nothing, ...(await savedChart(context, given)), kind };
  const id = await resolveName(context, LISTS[kind], given);
  const range = rangeOf(context, kind === 'alert-rule' ? HISTORY_MS : null);
  const withValues = kind === 'application' && !args.flag('no-values');
  const isRanged = kind === 'application' || kind === 'alert-rule';
  return keepPlan.parse({
    ...nothing,
    kind,
    id,
    name: shownName(given),
    withValues,
    range: isRanged ? range : null,
  });
}

/** The range in days in UTC, so that keeping the same data again gives the same query. */
function rangeOf({ args }: CommandContext, otherwiseMs: number | null): KeepPlan['range'] {
  const since = args.text('since');
  const ms = since === null ? otherwiseMs : sinceMs(since);
  if (ms === null) return null;
  return rangeUpToDay(ms, systemClock.nowMs());
}

/** Milliseconds from a typed point in time until now, or of a typed length. */
function sinceMs(since: string): number {
  const nowMs = systemClock.nowMs();
  const { ms } = pointOf('--since', since, nowMs);
  if (ms < nowMs) return nowMs - ms;
  throw new AppError('INVALID_ARGUMENT', `--since expects a time in the past, got ${since}.`);
}

/**
 * Hours from `--every`, e.g. `6h`, `2d`, `start` (0); undefined if it is absent: only a person refreshes new data, and
 * data that is kept already keeps its interval.
 */
function hoursOf({ args }: CommandContext): number | undefined {
  const typed = args.text('every');
  if (typed === null) return undefined;
  if (typed === 'start') return 0;
  const hours = lengthMs('--every', typed) / HOUR_MS;
  if (Number.isInteger(hours)) return hours;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--every expects whole hours or days, such as 6h or 1d, or start; got ${typed}.`,
  );
}

const ACTIONS = {
  refresh: [],
  retry: [],
  resume: [],
  ready: ['by'],
  test: [],
  schema: [],
  accept: [],
  drop: ['yes'],
};

/** Runs `kept`, `kept refresh [ID]` (all entries without an id), `kept resume ID`, `kept test` and `kept drop ID`. */
export async function kept(context: CommandContext): Promise<void> {
  const [, given] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  const session = await context.session();
  const all = session.keep.list();
  if (action === undefined) {
    noteDamaged(context, session, 'keep-offline');
    return list(context, all);
  }
  if (action === 'test') return test(context, session, given);
  if (action === 'schema') checkWords(context, 0);
  if (action === 'schema') return schemaChanges(context, session);
  if (action === 'refresh' && given === undefined) return refreshAll(context, session, all);
  if (given === undefined)
    throw new AppError('INVALID_ARGUMENT', `kept ${action} expects an ID. Run kept for the list.`);
  if (action === 'accept') return acceptSchema(context, session, given);
  const choice = { all, idOf: ({ keptId }: Kept) => keptId, what: 'kept entry' };
  const { keptId, plan } = byId(context, given, choice);
  await session.jobs.whenJudged('keep-offline', keptId);
  if (action === 'ready') return ready(context, session, { keptId, plan });
  if (action === 'drop') {
    checkForgetting(context, `${plan.name}: what no other entry keeps is removed from this computer`);
    session.keep.drop(keptId);
    return context.output.answer({ keptId }, () => [`Dropped: ${plan.name}.`]);
  }
  const startedMs = systemClock.nowMs();
  session.keep.control(keptId, action);
  await follow(context, session, KEPT, keptId);
  await noteSchemaChanges(context, session, startedMs);
}

/** Prints whether the next reading ends before a given time. Sends nothing. */
function ready(
  { args, output }: CommandContext,
  session: Session,
  { keptId, plan }: Pick<Kept, 'keptId' | 'plan'>,
): void {
  const typed = args.text('by');
  if (typed === null)
    throw new AppError('INVALID_ARGUMENT', 'kept ready expects --by with a time such as 17:40.');
  const nowMs = systemClock.nowMs();
  const byMs = parseStartTime(typed, nowMs, '--by');
  const sync = session.keep.planSync(keptId);
  const { isReady, endMs, text } = readyBy(sync, { byMs, nowMs }, localTimeText);
  const by = new Date(byMs).toISOString();
  const ends = new Date(endMs).toISOString();
  output.answer({ id: keptId, name: plan.name, ready: isReady, by, ends, ...sync }, () => [text]);
}

/** Reads all entries again. Throws after the list if one of them was not read completely. */
async function refreshAll(context: CommandContext, session: Session, all: readonly Kept[]): Promise<void> {
  const startedMs = systemClock.nowMs();
  const problems: AppError[] = [];
  for (const { keptId } of all) {
    if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. What was read is stored.');
    await session.jobs.whenJudged('keep-offline', keptId);
    session.keep.control(keptId, 'refresh');
    problems.push(...problemsOf(await untilRest(context, session, KEPT, keptId)));
  }
  list(context, session.keep.list());
  await noteSchemaChanges(context, session, startedMs);
  const [first, ...others] = problems;
  if (first === undefined) return;
  if (others.length === 0) throw first;
  for (const { message, details } of others)
    context.output.note(`${message} ${details.nextStep ?? ''}`.trim());
  throw new AppError(
    first.code,
    `${numberText(problems.length)} of ${counted(all.length, 'entry', 'entries')} were not read completely. The first: ${first.message}`,
    first.details,
  );
}

async function test(context: CommandContext, session: Session, given: string | undefined): Promise<void> {
  const found = await session.keep.test(given ?? null);
  context.output.answer(found, () => [
    `${counted(found.questions, 'list')} and records with ${counted(found.rows, 'row')} read without the network: ${counted(found.gapCount, 'gap')}.`,
    ...found.gaps.map(({ query, reason }) =>
      query === null
        ? reason
        : `${query.operation} ${Object.values(query.path).join(' ')} ${Object.values(query.query).join(' ')}: ${reason}`,
    ),
  ]);
  if (found.gapCount > 0)
    throw new AppError('NOT_STORED', `${counted(found.gapCount, 'gap')} found.`, {
      nextStep: 'kept refresh reads it again.',
    });
}

/** Shows progress until everything was read; Ctrl-C pauses the reading. */
export const KEPT: Followed<'keep-offline'> = {
  kind: 'keep-offline',
  word: 'keep',
  stays: (id) => `It is kept: kept refresh ${id}`,
  isReading: true,
  onInterrupt: 'pause',
  hear:
    ({ output }) =>
    ({ counts, state }) =>
      output.progress(
        `${state}: ${numberText(counts.read)} of ${counted(counts.questions, 'list')}, ${counted(counts.rows, 'row')}`,
      ),
  answer: (context, _session, ended) => answer(context, ended),
};

function answer(context: CommandContext, ended: Kept): void {
  context.output.answer(answerOf(ended), () => [lineOf(ended)]);
  const [problem] = problemsOf(ended);
  if (problem !== undefined) throw problem;
}

/** Why an entry was not read completely; empty if it was. */
function problemsOf({ keptId, plan, state, counts, error, reason }: Kept): AppError[] {
  const nextStep = `Continue with: kept resume ${keptId}`;
  if (state === 'paused') {
    if (error === null)
      return [
        new AppError('CANCELLED', `Not all of ${plan.name} is kept yet. ${reason}`.trim(), { nextStep }),
      ];
    const { code, message, details } = fromWire(error);
    return [new AppError(code, `${plan.name} was not read completely. ${message}`, { ...details, nextStep })];
  }
  if (counts.failed === 0) return [];
  const again = { nextStep: `Read them again with: kept retry ${keptId}` };
  const lists = counted(counts.questions, 'list');
  return counts.failed === counts.incomplete
    ? [
        new AppError(
          'INCOMPLETE',
          `Rows of ${numberText(counts.incomplete)} of ${lists} of ${plan.name} are missing; "kept test" names them.`,
          again,
        ),
      ]
    : [
        new AppError(
          'UNPROCESSABLE',
          `${numberText(counts.failed)} of ${lists} of ${plan.name} could not be read.`,
          again,
        ),
      ];
}

function answerOf({ keptId, plan, state, counts, oldestMs, refreshHours, reason }: Kept) {
  const asOf = oldestMs === null ? null : new Date(oldestMs).toISOString();
  return { id: keptId, kind: plan.kind, name: plan.name, state, ...counts, asOf, refreshHours, reason };
}

function lineOf({ plan, state, counts }: Kept): string {
  return `${plan.name}: ${state}, ${numberText(counts.read)} of ${counted(counts.questions, 'list')}, ${counted(counts.rows, 'row')}, ${sizeText(counts.sizeBytes)}`;
}

function list({ output }: CommandContext, all: readonly Kept[]): void {
  const items = all.map(answerOf);
  const lines = all.map((one) => ({
    ...answerOf(one),
    size: sizeText(one.counts.sizeBytes),
    asOf: one.oldestMs === null ? '' : localTimeText(one.oldestMs),
  }));
  output.answer({ items, total: items.length, complete: true, asOf: null }, () =>
    tableOr(
      'Nothing is kept offline on this connection. Keep something with: keep KIND ID',
      lines.map(readable),
      ['id', 'kind', 'name', 'state', 'read', 'questions', 'failed', 'rows', 'size', 'asOf'],
    ),
  );
}
