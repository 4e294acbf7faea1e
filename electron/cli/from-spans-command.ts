/** `from-spans DATASET`: makes items of a dataset from spans that are listed in a file. */
import { startMsOf } from '../core/spans/call-range.ts';
import { fromWire as mappingOf } from '../core/spans/span-mapping.ts';
import type { Session } from '../engine/session.ts';
import { attributeFilter } from '../shared/attribute-filter.ts';
import { BUCKETS, type DatasetTarget, type Mapping, type TimeRange } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import * as z from '../shared/zod.ts';
import { BUILDS } from './build-answers.ts';
import type { CommandContext } from './context.ts';
import { follow } from './follow.ts';
import { counted, nameList, numberText } from './human-text.ts';
import { readJsonOption } from './json-argument.ts';
import { checkKeys } from './mapping-keys.ts';
import { resolveName } from './names.ts';
import { planLine, planOf, sayPlanned, startOrWait } from './planned-start.ts';
import { readList } from './read-library.ts';
import { readSpanFile } from './span-file.ts';

const fields = z.record(z.string(), z.string()).nullish();
const wireMapping = z.strictObject({
  inputs: fields,
  expected_outputs: fields,
  metadata: fields,
  extras: fields,
});

/** Selects, maps and sends the spans; with --plan, only prints what would be sent. */
export async function fromSpans(context: CommandContext): Promise<void> {
  const { args, output, engine } = context;
  const name = args.positionals[0];
  if (name === undefined)
    throw new AppError('INVALID_ARGUMENT', 'from-spans expects DATASET: an id or a name.');
  const [application = '', file = ''] = requiredOf(context);
  const mapping = await readMapping(context);
  const timeRange = rangeOf(context);
  const startAtMs = startOrWait(context);
  const { spans, timeless, unused, pieces } = await readSpanFile(engine, file);
  checkTimes(timeless, spans, timeRange);
  if (unused.length > 0)
    output.note(
      `${counted(unused.length, 'column')} of ${file} ${unused.length === 1 ? 'is' : 'are'} not used: ${nameList(unused)}. The fields of an item come from the span; builds add takes columns as attributes of the spans.`,
    );
  const session = await context.session();
  const { builds } = session.datasets;
  const applicationId = await resolveName(context, 'applications.list', application);
  const target = await targetOf(context, name, applicationId);
  const { buildId } = builds.create({
    applicationId,
    applicationName: application,
    name: `${name} (command line)`,
  });
  try {
    for await (const piece of pieces()) await builds.pickGiven(buildId, piece, true);
    const repeated = spans - builds.get(buildId).counts.picked;
    if (repeated > 0) output.note(`${counted(repeated, 'span')} repeated; each is added once.`);
    await builds.change(buildId, {
      mapping,
      target,
      timeRange,
      skipsUnresolved: args.flag('skip-unresolved'),
      widens: args.flag('widen'),
      skipsAdded: !args.flag('add-again'),
    });
    await checkKeys(context, session, buildId);
    if (args.flag('plan')) return await answerPlan(context, session, buildId, startAtMs);
    const traffic = await planOf(context, builds.plan(buildId).requests, startAtMs);
    output.note(`Plan: ${planLine(traffic)}.`);
    if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. Nothing was sent.');
    await builds.control(buildId, startAtMs === null ? 'commit' : 'schedule', startAtMs);
    if (startAtMs !== null) sayPlanned(context, startAtMs);
  } catch (thrown) {
    // Nothing was sent, so the build is removed and the next attempt starts over.
    builds.forget(buildId);
    throw thrown;
  }
  await follow(context, session, BUILDS, buildId);
}

const REQUIRED = {
  application: 'an id or a name',
  spans: 'a CSV, JSON or JSON Lines file with trace_id and span_id',
  mapping: 'JSON, @FILE or - (standard input)',
};

/** The values of the required options, in order. Throws INVALID_ARGUMENT with the names of all missing ones. */
function requiredOf({ args }: CommandContext): string[] {
  const missing = Object.entries(REQUIRED).filter(([option]) => args.text(option) === null);
  if (missing.length > 0)
    throw new AppError(
      'INVALID_ARGUMENT',
      `from-spans expects ${missing.map(([option, what]) => `--${option}: ${what}`).join('; ')}.`,
    );
  return Object.keys(REQUIRED).map((option) => args.text(option) ?? '');
}

async function readMapping(context: CommandContext): Promise<Mapping> {
  const parsed = wireMapping.safeParse(await readJsonOption(context, 'mapping'));
  if (parsed.success) {
    const given = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
    return mappingOf(Object.fromEntries(given));
  }
  const issue = parsed.error.issues[0];
  const where = issue === undefined || issue.path.length === 0 ? '' : ` (${issue.path.join('.')})`;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--mapping expects {"inputs": {"FIELD": "KEY"}, …} with the buckets ${BUCKETS.join(', ')}${where}.`,
  );
}

function rangeOf({ args }: CommandContext): TimeRange | null {
  const [startTime, endTime] = [args.text('start'), args.text('end')];
  if (startTime === null && endTime === null) return null;
  if (startTime === null || endTime === null) {
    throw new AppError('INVALID_ARGUMENT', 'from-spans expects both --start and --end, or neither.');
  }
  const [startMs, endMs] = [startMsOf(startTime), startMsOf(endTime)];
  if (startMs === null || endMs === null || endMs <= startMs) {
    throw new AppError(
      'INVALID_ARGUMENT',
      '--start and --end expect times such as 2025-09-27T17:00:00Z, the end later than the start.',
    );
  }
  return { startTime, endTime };
}

function checkTimes(timeless: number, spans: number, range: TimeRange | null): void {
  if (range !== null || timeless === 0) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    `Without a readable start_time: ${numberText(timeless)} of ${counted(spans, 'span')}. Add --start and --end, or --since.`,
  );
}

async function targetOf(
  context: CommandContext,
  name: string,
  applicationId: string,
): Promise<DatasetTarget> {
  if (context.args.flag('create')) {
    await checkFree(context, name, applicationId);
    return { kind: 'new', name, description: null, metadata: null };
  }
  const datasetId = await resolveName(context, 'datasets.list', name);
  return { kind: 'existing', datasetId, name };
}

/** Throws CONFLICT if the application has a dataset of this name. Offline this cannot be checked. */
async function checkFree(context: CommandContext, name: string, applicationId: string): Promise<void> {
  if (context.args.isOffline) return;
  const filter = attributeFilter({ application_id: applicationId, name }) ?? '';
  const query = { operation: 'datasets.list' as const, path: {}, query: { filter } };
  const { rows } = await readList(context, query, 1);
  if (!rows.some(({ record }) => record['name'] === name)) return;
  throw new AppError(
    'CONFLICT',
    `A dataset named ${name} exists in this application already. Nothing was sent.`,
    {
      nextStep: 'Leave out --create to add to it, or use another name.',
    },
  );
}

async function answerPlan(
  context: CommandContext,
  session: Session,
  buildId: string,
  startAtMs: number | null,
): Promise<void> {
  const { builds } = session.datasets;
  const plan = builds.plan(buildId);
  const traffic = await planOf(context, plan.requests, startAtMs);
  const { counts, problems, target } = builds.get(buildId);
  builds.forget(buildId);
  const { finishAtMs, budgets, leftToday } = traffic;
  const seconds = Math.max(0, Math.ceil((finishAtMs - traffic.startAtMs) / 1_000));
  const answer = { ...plan, startAtMs: traffic.startAtMs, finishAtMs, budgets, leftToday };
  context.output.answer({ ...answer, seconds, counts, problems, target }, () => [
    plan.sentence,
    `Already in the dataset: ${numberText(counts.added)}. About ${numberText(seconds)} s${plan.limit === null ? '' : `, limited by ${plan.limit}`}.`,
    `${planLine(traffic)}.`,
    ...problems,
    'Nothing was sent.',
  ]);
  if (problems.length > 0) throw new AppError('INVALID_ARGUMENT', problems.join(' '));
}
