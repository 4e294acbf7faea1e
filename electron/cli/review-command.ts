/**
 * `review`: lists the decisions on the selected spans of a build, writes them to a file, and compares them with those of
 * a second reviewer. Sends nothing.
 */
import { resolve } from 'node:path';
import { REVIEW_FORMATS } from '../datasets/review-file.ts';
import type { Builds, ReviewedSpan } from '../datasets/types.ts';
import { systemClock } from '../platform/system.ts';
import type { DatasetBuild } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import { countReview, damagedDecisions, type Review } from '../shared/review-fold.ts';
import { VERDICTS } from '../shared/review-model.ts';
import { groupAgreementText, reviewAgreementText, secondReviewNotes } from '../shared/second-review.ts';
import { verdictNotes } from '../shared/verdict-counts.ts';
import { byIdOrOnly, chosenAction } from './choose.ts';
import type { CommandContext } from './context.ts';
import { lookAt, offerOne } from './given-file.ts';
import { counted, nameList } from './human-text.ts';
import { resolveName } from './names.ts';
import { table } from './output.ts';
import { experimentOf } from './read-experiment.ts';
import { fileFormat } from './row-files.ts';
import { quotedForShell } from './terminal-text.ts';

const ACTIONS = {
  export: ['output', 'verdict', 'failure-kind', 'exact'],
  'take-skipped': [],
  'leave-skipped': [],
  spans: ['output'],
  verdicts: ['output', 'dataset', 'experiment'],
  compare: ['reviewer'],
  show: ['verdict', 'failure-kind', 'limit'],
};
const SHOWN_SPANS = 20;

export async function review(context: CommandContext): Promise<void> {
  const [, id, file] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  if (file !== undefined && action !== 'compare')
    throw new AppError('INVALID_ARGUMENT', `review ${action} expects an ID alone, got also ${file}.`);
  const { connection, datasets } = await context.session();
  const { builds } = datasets;
  const drafts = builds.list();
  const all = drafts.filter(({ buildId }) => builds.readReview(buildId, 0).total > 0);
  if (action === undefined) return await list(context, builds, all);
  // Spans can be given to a second reviewer even before the first one has decided.
  const fits = action === 'spans' ? drafts : all;
  const choice = { all: fits, idOf: ({ buildId }: DatasetBuild) => buildId, what: 'review' };
  const build = byIdOrOnly(context, [action, id], { ...choice, fits });
  if (action === 'show') return show(context, builds, build);
  if (action === 'export') return exportReview(context, builds, build);
  if (action === 'spans') return writeSpans(context, builds, build);
  if (action === 'verdicts') return writeVerdicts(context, builds, build);
  if (action === 'compare') return compare(context, { connectionId: connection.id, builds, build, file });
  await takeSkipped(context, builds, build, action === 'take-skipped');
}

/** Prints the decisions, span by span. */
async function show(context: CommandContext, builds: Builds, { buildId, name }: DatasetBuild): Promise<void> {
  const { args, output } = context;
  const own = await builds.review(buildId);
  if (own.damaged.length > 0) output.note(damagedDecisions(own.damaged));
  const fits = filterOf(context, own);
  const most = args.wholeNumber('limit', 1) ?? SHOWN_SPANS;
  const items: ReturnType<typeof shownSpan>[] = [];
  let total = 0;
  for await (const span of builds.reviewedSpans(buildId)) {
    if (!fits(span)) continue;
    total += 1;
    if (items.length < most) items.push(shownSpan(span));
  }
  output.answer(
    { items, total, complete: items.length === total, asOf: null, review: { id: buildId, name } },
    () =>
      items.length === 0
        ? `No span of the review ${name} fits.`
        : [
            table(items, ['span_id', 'name', 'verdict', 'failure_kind', 'note']),
            ...(items.length < total
              ? [
                  `${counted(total - items.length, 'further span')}: add --limit ${total}, or review export writes all.`,
                ]
              : []),
          ],
  );
}

/** A span with the field names of the service's records. */
const shownSpan = (span: ReviewedSpan) => ({
  trace_id: span.traceId,
  span_id: span.spanId,
  name: span.name,
  span_type: span.spanType,
  start_time: span.startTime,
  verdict: span.verdict,
  failure_kind: span.failureKind,
  labels: span.labels,
  note: span.note,
  expected_output: span.expected,
  decided_at: new Date(span.atMs).toISOString(),
  item_id: span.itemId,
});

/** Writes the spans without decisions. */
async function writeSpans(
  { args, output }: CommandContext,
  builds: Builds,
  { buildId, name }: DatasetBuild,
): Promise<void> {
  const path = args.text('output');
  if (path === null)
    throw new AppError('INVALID_ARGUMENT', 'review spans expects --output FILE, a .jsonl file.');
  fileFormat(path, ['jsonl']);
  const { rows } = await builds.writeFile(buildId, 'spans', resolve(path));
  output.answer({ buildId, file: resolve(path), rows }, () => [
    `Wrote ${counted(rows, 'span')} of ${name} without decisions to ${path}. A second reviewer adds them with builds add, and gives the written review back.`,
  ]);
}

/** Writes the decisions as results of an experiment. */
async function writeVerdicts(
  context: CommandContext,
  builds: Builds,
  { buildId, name }: DatasetBuild,
): Promise<void> {
  const { args, output } = context;
  const path = args.text('output');
  if (path === null)
    throw new AppError('INVALID_ARGUMENT', 'review verdicts expects --output FILE, a .jsonl file.');
  fileFormat(path, ['jsonl']);
  const dataset = args.text('dataset');
  const typed = args.text('experiment');
  if (dataset !== null && typed !== null)
    throw new AppError('INVALID_ARGUMENT', 'review verdicts takes --dataset or --experiment, got both.');
  const source = typed === null ? null : await experimentOf(context, typed);
  const datasetId =
    source?.datasetId ?? (dataset === null ? null : await resolveName(context, 'datasets.list', dataset));
  const { damaged } = await builds.review(buildId);
  if (damaged.length > 0) output.note(damagedDecisions(damaged));
  const counts = await builds.writeVerdicts(buildId, resolve(path), datasetId, source?.experiment);
  const { rows } = counts;
  output.answer({ buildId, file: resolve(path), ...counts }, () => [
    `Wrote ${counted(rows, 'verdict')} of ${name} to ${path}: experiments upload ${source === null ? 'EXPERIMENT' : quotedForShell(source.experiment.name)} ${path} ${source === null ? 'sends them' : 'adds them to its results'}.`,
    ...verdictNotes(counts),
  ]);
}

interface Compared {
  connectionId: string;
  builds: Builds;
  build: DatasetBuild;
  file: string | undefined;
}

/** Reads the review of another person. */
async function compare(
  context: CommandContext,
  { connectionId, builds, build: { buildId, name }, file }: Compared,
): Promise<void> {
  const reviewer = context.args.text('reviewer')?.trim();
  if (file === undefined || reviewer === undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'review compare expects ID, the review FILE of another person and --reviewer with the name of this person.',
    );
  }
  const { damaged } = await builds.review(buildId);
  if (damaged.length > 0) context.output.note(damagedDecisions(damaged));
  const { fileId } = await offerOne(context, 'review compare', file);
  const { preview } = await lookAt(context, fileId, connectionId);
  const { dialect } = preview;
  const counts = await builds.addSecondReview(buildId, { fileId, dialect }, reviewer);
  const agreement = (await builds.agreements(buildId)).find((each) => each.reviewer === reviewer);
  if (agreement === undefined) throw new AppError('INTERNAL', `The review of ${reviewer} was not kept.`);
  const group = await builds.groupAgreement(buildId);
  context.output.answer({ buildId, ...agreement, group, file: counts }, () => [
    `${reviewer} and the review of ${name}: ${reviewAgreementText(agreement)}`,
    ...(group === null ? [] : [groupAgreementText(group)]),
    ...secondReviewNotes(counts),
    ...(agreement.different > 0
      ? [`${counted(agreement.different, 'span')} with different decisions: the window shows them.`]
      : []),
  ]);
}

async function list({ output }: CommandContext, builds: Builds, all: readonly DatasetBuild[]): Promise<void> {
  const items = await Promise.all(
    all.map(async ({ buildId, name, counts }) => {
      const own = await builds.review(buildId);
      const { byKind, ...sums } = countReview(own);
      const { takesSkipped, damaged } = own;
      if (damaged.length > 0)
        output.note(`${name}: ${damagedDecisions(damaged)} The others are not affected.`);
      const reviewers = own.seconds.map(({ reviewer }) => reviewer);
      return {
        id: buildId,
        name,
        spans: counts.picked,
        ...sums,
        takesSkipped,
        kinds: byKind.size,
        reviewers,
      };
    }),
  );
  output.answer({ items, total: items.length, complete: true, asOf: null }, () =>
    items.length === 0
      ? 'No review yet. Select spans in the window and review them there.'
      : table(items, ['id', 'name', 'spans', ...VERDICTS, 'notes', 'kinds']),
  );
}

/** Adds skipped spans to the dataset, or leaves them out again; spans that were already sent do not change. */
async function takeSkipped(
  { output }: CommandContext,
  builds: Builds,
  { buildId, state }: DatasetBuild,
  takes: boolean,
): Promise<void> {
  if (state !== 'editing') {
    throw new AppError('INVALID_ARGUMENT', 'The items of this build were sent: its spans stay as they are.');
  }
  const { total } = builds.readReview(buildId, 0);
  await builds.addReview(buildId, total, [{ type: 'take-skipped', takes, atMs: systemClock.nowMs() }]);
  const { name, counts } = builds.get(buildId);
  const { skipped } = countReview(await builds.review(buildId));
  output.answer({ buildId, skipped, takesSkipped: takes, items: counts.unsent }, () => [
    `${counted(skipped, 'skipped span')} of ${name} ${takes ? 'will be added' : 'left out'}: ${counted(counts.unsent, 'item')} to add.`,
  ]);
}

async function exportReview(context: CommandContext, builds: Builds, build: DatasetBuild): Promise<void> {
  const { args, output } = context;
  const path = args.text('output');
  if (path === null) {
    throw new AppError('INVALID_ARGUMENT', 'review export expects --output FILE, a .csv or .jsonl file.');
  }
  const own = await builds.review(build.buildId);
  if (own.damaged.length > 0) output.note(damagedDecisions(own.damaged));
  const { rows } = await builds.writeReview(build.buildId, resolve(path), {
    format: fileFormat(path, REVIEW_FORMATS),
    isExact: args.flag('exact'),
    fits: filterOf(context, own),
  });
  output.answer({ buildId: build.buildId, file: resolve(path), rows }, () => [
    `Wrote ${counted(rows, 'span')} of the review ${build.name} to ${path}.`,
  ]);
}

type Fits = (mark: { verdict: string | null; kindId: string | null }) => boolean;

/** The filter from the flags. Throws INVALID_ARGUMENT for an unknown verdict or failure kind. */
function filterOf({ args }: CommandContext, { kinds }: Review): Fits {
  const [verdict, kind] = [args.text('verdict'), args.text('failure-kind')];
  if (verdict !== null && !VERDICTS.some((each) => each === verdict)) {
    throw new AppError('INVALID_ARGUMENT', `--verdict expects ${nameList([...VERDICTS])}, got ${verdict}.`);
  }
  const ids = kinds.filter(({ name }) => name === kind).map(({ kindId }) => kindId);
  if (kind !== null && ids.length === 0) {
    const names = kinds.map(({ name }) => name);
    throw new AppError(
      'INVALID_ARGUMENT',
      `There is no failure kind “${kind}”.${names.length === 0 ? '' : ` There are: ${nameList(names)}.`}`,
    );
  }
  return (mark) =>
    (verdict === null || mark.verdict === verdict) &&
    (kind === null || (mark.kindId !== null && ids.includes(mark.kindId)));
}
