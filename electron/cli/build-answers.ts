/** The command line's output about a build. */
import { isIdle } from '../core/jobs/build-job.ts';
import type { Session } from '../engine/session.ts';
import type { BuildRow, DatasetBuild } from '../shared/dataset-model.ts';
import { AppError, fromWire } from '../shared/errors.ts';
import type { CommandContext } from './context.ts';
import type { Followed } from './follow.ts';
import { counted, numberText } from './human-text.ts';
import { SKIP_KEYS } from './mapping-keys.ts';
import { besideAnswer } from './result-file.ts';

const PAGE_ROWS = 200;
/** Spans whose messages are printed; the answer names all of them. */
const MAX_NAMED = 200;

function progressText({ state, counts, fill, startAtMs }: DatasetBuild): string {
  if (startAtMs !== null) return 'starts later';
  if (fill?.phase === 'running') return `${counted(counts.picked, 'span')} selected`;
  const toSend = counts.picked - counts.excluded - counts.added;
  return `${state}: ${numberText(counts.acknowledged)} of ${counted(toSend, 'item')} written`;
}

export function buildResult(build: DatasetBuild, receiptsFile: string | null) {
  const { counts } = build;
  return {
    buildId: build.buildId,
    dataset: build.target?.name ?? null,
    datasetId: build.datasetId,
    state: build.state,
    reason: build.reason,
    spans: counts.picked,
    written: counts.acknowledged,
    alreadyThere: counts.added,
    leftOut: counts.excluded,
    unresolved: counts.unresolved,
    unknown: counts.unknown,
    unsent: counts.unsent,
    calls: build.batches.total,
    doubtfulCalls: build.batches.doubtful,
    startAt: build.startAtMs === null ? null : new Date(build.startAtMs).toISOString(),
    check: build.check,
    receiptsFile,
  };
}

/** Spans that the service could not find, with its messages. */
function unresolvedOf(session: Session, build: DatasetBuild): BuildRow[] {
  const show = build.counts.unresolved > 0 ? 'unresolved' : 'excluded';
  const found: BuildRow[] = [];
  // Excluded spans of other reasons may come before those that were not found.
  for (let offset = 0; ; ) {
    const query = { mapping: null, show, offset, limit: PAGE_ROWS } as const;
    const { rows, matchingRows } = session.datasets.builds.readRows(build.buildId, query);
    found.push(...rows.filter(({ message }) => message !== null));
    // A page of long rows has fewer than asked for.
    offset += rows.length;
    if (rows.length === 0 || offset >= matchingRows) return found;
  }
}

/** Prints the counts; throws the reason why spans did not become items, so that the command fails. */
export function answerBuild(
  context: CommandContext,
  session: Session,
  build: DatasetBuild,
  receiptsFile: string | null,
): void {
  const notFound = unresolvedOf(session, build).map(({ trace_id, span_id, message }) => ({
    trace_id,
    span_id,
    message,
  }));
  const result = { ...buildResult(build, receiptsFile), notFound };
  for (const { message } of notFound.slice(0, MAX_NAMED)) context.output.note(String(message));
  const unsaid = notFound.length - MAX_NAMED;
  if (unsaid > 0)
    context.output.note(
      `${counted(unsaid, 'more span')} not found: export not-found ${build.buildId} --output FILE names all.`,
    );
  context.output.answer(result, () =>
    [
      build.startAtMs === null ? build.state : 'starts later',
      `${numberText(result.written)} of ${counted(result.spans, 'span')} written, ${numberText(result.alreadyThere)} there already, ${numberText(result.leftOut)} left out, ${numberText(result.unresolved)} not found, ${numberText(result.unknown)} unknown, ${numberText(result.unsent)} not sent`,
      ...(build.check?.facts ?? []),
      receiptsFile === null ? '' : `receipts: ${receiptsFile}`,
    ].filter((line) => line !== ''),
  );
  const problem = problemOf(build);
  if (problem === null) return;
  // The flag accepts items without these fields, but not items without any field.
  const isAsked = context.args.flag(SKIP_KEYS) && emptyItemsOf(build) === 0;
  if (problem.code !== 'INCOMPLETE' || !isAsked) throw problem;
  context.output.note(problem.message);
}

/** Whether a dataset with the chosen name exists, so that the same request would be refused again. */
const isNameTaken = ({ error, target, datasetId }: DatasetBuild): boolean =>
  error?.code === 'CONFLICT' && target?.kind === 'new' && datasetId === null;

function problemOf(build: DatasetBuild): AppError | null {
  const { state, counts, buildId, reason, check } = build;
  // A build that is planned, or that continues in another process, has not failed.
  if (build.startAtMs !== null || !isIdle(state)) return null;
  if (state === 'done' || state === 'cancelled') {
    if (build.doubt !== null) return fromWire(build.doubt);
    if (check?.verdict === 'differs')
      return new AppError('CONFLICT', check.differences[0] ?? check.facts.join(' '));
    return fieldsMissing(build);
  }
  if (state === 'needs-decision') {
    return new AppError('CONNECTION_LOST', reason, { nextStep: `Run: builds decide ${buildId}` });
  }
  if (counts.unresolved > 0) {
    return new AppError('UNPROCESSABLE', reason, {
      nextStep: `Continue without them: builds skip ${buildId}. Ask for them again: builds retry ${buildId}`,
    });
  }
  const nextStep = isNameTaken(build)
    ? `Leave out --create to add to that dataset. This draft goes away with: builds forget ${buildId} --yes`
    : `Resume with: builds resume ${buildId}`;
  if (build.error === null)
    return new AppError('CANCELLED', `The build is ${state}. ${reason === 'Paused.' ? '' : reason}`.trim(), {
      nextStep,
    });
  const error = fromWire(build.error);
  const steps = `${error.details.nextStep ?? ''} ${nextStep}`.trim();
  return new AppError(error.code, error.message, { ...error.details, nextStep: steps }, error);
}

/** Number of items without any field. */
function emptyItemsOf({ check, counts, mapping }: DatasetBuild): number {
  const { emptyItems = 0, unfilled = [] } = check ?? {};
  return unfilled.length === mapping.length ? counts.acknowledged : emptyItems;
}

/** The error if items have no field, or lack a mapped one, although the service accepts such items. */
function fieldsMissing(build: DatasetBuild): AppError | null {
  const { unfilled = [] } = build.check ?? {};
  const empty = emptyItemsOf(build);
  if (empty === 0 && unfilled.length === 0) return null;
  const parts = [
    ...(empty > 0 ? [`${counted(empty, 'item')} without any field.`] : []),
    ...(unfilled.length > 0 ? [`No item of the dataset has ${unfilled.join(', ')}.`] : []),
  ];
  return new AppError('INCOMPLETE', parts.join(' '), {
    nextStep: 'Compare the keys of the mapping with those of the spans: span-fields lists them.',
  });
}

/**
 * Shows progress until the build stops, and writes its receipts. Ctrl-C pauses the build; a planned one stays planned.
 */
export const BUILDS: Followed<'build'> = {
  kind: 'build',
  word: 'build',
  stays: (id) => `It is kept: builds resume ${id}`,
  onInterrupt: 'pause',
  hear:
    ({ output }) =>
    (build) =>
      output.progress(progressText(build)),
  answer: async (context, session, build) => {
    const isVerified = build.state === 'done' && context.args.flag('verify');
    const ended = isVerified ? await session.datasets.builds.control(build.buildId, 'verify') : build;
    const { file, failure } = await besideAnswer(() => writeReceipts(context, session, ended), null);
    answerBuild(context, session, ended, file);
    if (failure !== null) throw failure;
  },
};

/** The path of the receipts; null if nothing was written yet. */
export async function writeReceipts(
  context: CommandContext,
  session: Session,
  build: DatasetBuild,
): Promise<string | null> {
  if (build.counts.acknowledged === 0) return null;
  const path = context.args.text('output') ?? session.receiptsFile(build.buildId);
  await session.datasets.builds.writeFile(build.buildId, 'receipts', path);
  return path;
}
