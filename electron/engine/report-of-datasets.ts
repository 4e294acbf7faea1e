/** Sources of reports about datasets: comparisons of scores, reviews, versions and coverage. */
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { elementAt } from '../core/element-at.ts';
import { flattened } from '../core/items/flattened.ts';
import { shownInputs } from '../core/items/shown-inputs.ts';
import type { ReportSource, SourceColumn, SourceTable } from '../core/report/choose.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { ReviewedSpan } from '../datasets/types.ts';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import { counted, inNumbers, numberText } from '../shared/count-text.ts';
import { isCoverageKnown, unreadItemsError } from '../shared/coverage-model.ts';
import { AppError } from '../shared/errors.ts';
import { parseExactObject } from '../shared/exact-json.ts';
import { type ComparedItem, type ComparedRun, NO_FILTER, type RunRef } from '../shared/run-comparison.ts';
import type { ScoreRun } from '../shared/score-model.ts';
import type { Snapshot } from '../shared/snapshot-model.ts';
import {
  CHOSEN,
  CONTENT,
  type ColumnForm,
  checkRows,
  column,
  fact,
  isoTime,
  NUMBER,
  type Of,
  pathForm,
  type ReportParts,
  usualIfFilled,
} from './report-columns.ts';

const COMPARED_AT_ONCE = 500;
const CHANGES_AT_ONCE = 200;

export async function scoreSource(
  { session }: ReportParts,
  { before, after, areExperiments, name, lowerIsBetter }: Of<'scores'>,
): Promise<ReportSource> {
  const { scores, comparisons } = session.datasets;
  const kind = areExperiments === true ? 'experiment' : 'scores';
  const query = {
    runs: [before, after].map((id): RunRef => ({ kind, id })),
    ...{ baseline: 0, lowerIsBetter, filter: NO_FILTER, limit: COMPARED_AT_ONCE },
  };
  const first = await comparisons.compare({ ...query, score: name, hasShape: true, offset: 0 });
  if (kind === 'experiment') checkWhole(first.runs);
  const shared = first.scores.filter(({ runs }) => runs.every((run) => run !== null));
  const score = first.score ?? '';
  if (!shared.some(({ key }) => key === score))
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected a score that both runs have, got ${score || 'none'}. Both have ${shared.map(({ key }) => key).join(', ') || 'none'}.`,
    );
  checkRows(first.total);
  const rows: ComparedItem[] = [...first.rows];
  while (rows.length < first.total) {
    const page = await comparisons.compare({ ...query, score, hasShape: false, offset: rows.length });
    if (page.rows.length === 0) break;
    rows.push(...page.rows);
  }
  const about =
    kind === 'scores'
      ? aboutScoreRuns(scores, [before, after], rows)
      : aboutExperiments(first.runs, first.dataset, rows);
  const traces = new Map<string, number>();
  const traceOf = about.dataset === null ? null : await scores.tracesOf(about.dataset.id);
  // Numbers instead of ids, which only show which items belong together.
  const traceNumber = ({ itemId }: ComparedItem): number | null => {
    const trace = traceOf?.get(itemId);
    if (trace === undefined) return null;
    const number = traces.get(trace) ?? traces.size + 1;
    traces.set(trace, number);
    return number;
  };
  const { places, title, judged } = about;
  const judgedText = ({ sides: [, side] }: ComparedItem) => (judged === null ? null : side?.output || null);
  const items: SourceTable = {
    ...{ name: 'items', title: 'Items', rows: rows.length },
    columns: [
      column('position', 'No.', rows, ({ itemId }) => places.get(itemId) ?? null, NUMBER),
      column('item_id', 'Item', rows, ({ itemId }) => itemId),
      column('title', 'Input', rows, (row) => row.title || null, title),
      column('judged', about.judgedTitle, rows, judgedText, judged ?? CHOSEN),
      column('before', 'Before', rows, ({ sides: [one] }) => one?.value ?? null, NUMBER),
      column('after', 'After', rows, ({ sides: [, other] }) => other?.value ?? null, NUMBER),
      column('label_before', 'Label before', rows, ({ sides: [one] }) => one?.label ?? null),
      column('label_after', 'Label after', rows, ({ sides: [, other] }) => other?.label ?? null),
      column('state_before', 'State before', rows, ({ sides: [one] }) => stateOf(one)),
      column('state_after', 'State after', rows, ({ sides: [, other] }) => stateOf(other)),
      usualIfFilled(column('failure_kind', 'Failure kind', rows, ({ failureKind }) => failureKind)),
      column('trace', 'Trace', rows, traceNumber, NUMBER),
      column(
        'reasoning_before',
        'Reason before',
        rows,
        ({ sides: [one] }) => one?.reasoning ?? null,
        CONTENT,
      ),
      column(
        'reasoning_after',
        'Reason after',
        rows,
        ({ sides: [, other] }) => other?.reasoning ?? null,
        CONTENT,
      ),
      column('problem', 'Problem', rows, ({ sides: [, other] }) => other?.problem ?? null, CONTENT),
    ],
  };
  const [one, other] = about.runs;
  return {
    kind: 'scores',
    title: `${score}: ${one.name} and ${other.name}`,
    facts: [
      fact('Dataset', about.dataset?.name ?? 'not known'),
      fact('Score', `${score}, ${lowerIsBetter ? 'lower' : 'higher'} is better`),
      fact('Before', one.text),
      fact('After', other.text),
      fact('Filters', 'None: every item of both runs.'),
    ],
    rules: { lowerIsBetter, isOfSameTexts: first.shape?.agreement != null },
    tables: [items],
  };
}

/** Facts about two runs in a report, in addition to their scores. */
interface AboutRuns {
  runs: readonly [NamedRun, NamedRun];
  dataset: { id: string; name: string } | null;
  /** Number of each item, by id. */
  places: ReadonlyMap<string, number>;
  title: ColumnForm;
  judgedTitle: string;
  /** The judged texts; null if no text was judged. */
  judged: ColumnForm | null;
}

interface NamedRun {
  name: string;
  text: string;
}

function aboutScoreRuns(
  scores: ReportParts['session']['datasets']['scores'],
  ids: readonly [string, string],
  rows: readonly ComparedItem[],
): AboutRuns {
  const [one, other] = [scores.get(ids[0]), scores.get(ids[1])];
  const places = new Map<string, number>();
  for (const runId of ids)
    for (const { itemId } of scores.results(runId, null))
      if (!places.has(itemId)) places.set(itemId, places.size + 1);
  // Runs may judge different fields, so each text is masked according to the field that it comes from.
  const shown = [one, other].map(({ plan }) => shownInputs(plan.inputs));
  const judged = shown[1]?.judged ?? null;
  const named = (run: ScoreRun): NamedRun => ({ name: run.name, text: runText(run) });
  return {
    runs: [named(one), named(other)],
    dataset: { id: other.plan.datasetId, name: other.plan.datasetName },
    places,
    title: pathForm(rows.map(({ titleRun }) => shown[titleRun ?? 0]?.about?.path ?? 'title')),
    judgedTitle: 'Judged text',
    judged: judged === null ? null : { ...CHOSEN, path: judged.path },
  };
}

/** Inputs and outputs of experiments may come from any field, so they are masked if any of their fields is private. */
function aboutExperiments(
  runs: readonly ComparedRun[],
  dataset: AboutRuns['dataset'],
  rows: readonly ComparedItem[],
): AboutRuns {
  const ids = rows.map(({ itemId }) => itemId).toSorted();
  const named = ({ name, ref, results, asOfMs }: ComparedRun): NamedRun => {
    const text = inNumbers(
      'comma',
      () =>
        `${name}: experiment ${ref.id}, read ${isoTime(asOfMs)}; ${counted(results.good, 'result')}, ${numberText(results.failed)} failed, ${numberText(results.skipped)} skipped`,
    );
    return { name, text };
  };
  return {
    runs: [named(elementAt(runs, 0)), named(elementAt(runs, 1))],
    dataset,
    places: new Map(ids.map((id, at) => [id, at + 1])),
    title: { isContent: true },
    judgedTitle: 'Output after',
    judged: CONTENT,
  };
}

/** Throws if results are incomplete, because a report on a part of them would look like a report on all. */
function checkWhole(runs: readonly ComparedRun[]): void {
  const part = runs.find(({ isComplete }) => !isComplete);
  if (part === undefined) return;
  throw new AppError('NOT_STORED', `Not all results of ${part.name} are stored on this computer.`, {
    nextStep: `Read them first: open the comparison in the window until it has them all, or run experiments results "${part.name}" --all`,
  });
}

/** State of an item in a run for the columns of scores; null if the run does not have the item. */
const stateOf = (side: ComparedItem['sides'][number] | undefined): string | null =>
  side == null ? null : side.fate === 'good' ? 'scored' : side.fate;

function runText({ runId, name, plan, counts, createdAtMs, endedAtMs }: ScoreRun): string {
  return inNumbers(
    'comma',
    () =>
      `${name}: ${plan.evaluator}, run ${runId}, started ${isoTime(createdAtMs)}, ended ${isoTime(endedAtMs)}; ${counted(counts.items, 'item')}, ${numberText(counts.scored)} scored, ${numberText(counts.skipped)} skipped, ${numberText(counts.failed)} failed, ${numberText(counts.unscored)} not scored`,
  );
}

export async function reviewSource(
  { session }: ReportParts,
  { buildId }: Of<'review'>,
): Promise<ReportSource> {
  const { builds } = session.datasets;
  const { name, applicationName, counts, datasetId, state } = builds.get(buildId);
  const spans: ReviewedSpan[] = [];
  for await (const span of builds.reviewedSpans(buildId)) spans.push(span);
  if (spans.length === 0)
    throw new AppError('NOT_STORED', `No span of ${name} was reviewed yet: there is nothing to report.`);
  checkRows(spans.length);
  const { takesSkipped } = await builds.review(buildId);
  const table: SourceTable = {
    ...{ name: 'spans', title: 'Reviewed spans', rows: spans.length },
    columns: [
      column('trace_id', 'Trace', spans, ({ traceId }) => traceId, CHOSEN),
      column('span_id', 'Span', spans, ({ spanId }) => spanId),
      column('name', 'Name', spans, (span) => span.name),
      column('span_type', 'Type', spans, ({ spanType }) => spanType),
      column('start_time', 'Start', spans, ({ startTime }) => startTime, { type: 'time' }),
      column('verdict', 'Verdict', spans, ({ verdict }) => verdict),
      column('failure_kind', 'Failure kind', spans, ({ failureKind }) => failureKind),
      usualIfFilled(column('labels', 'Labels', spans, ({ labels }) => labels.join(', ') || null)),
      column('note', 'Note', spans, ({ note }) => note || null, CONTENT),
      column('expected_output', 'Expected output', spans, ({ expected }) => expected, CONTENT),
      column('decided_at', 'Decided', spans, ({ atMs }) => isoTime(atMs), { type: 'time' }),
      usualIfFilled(column('item_id', 'Item', spans, ({ itemId }) => itemId)),
    ],
  };
  const newest = spans.reduce((most, { atMs }) => Math.max(most, atMs), 0);
  return {
    kind: 'review',
    title: `Review of ${name}`,
    facts: [
      fact('Application', applicationName),
      fact('Selected spans', String(counts.picked)),
      fact('Last decision', isoTime(newest)),
      fact('Skipped spans', takesSkipped ? 'Added to the dataset.' : 'Left out of the dataset.'),
      fact('Receipts', receiptsText(datasetId, state, spans.filter(({ itemId }) => itemId !== null).length)),
    ],
    rules: {},
    tables: [table],
  };
}

function receiptsText(datasetId: string | null, state: string, items: number): string {
  if (datasetId === null || items === 0) return 'None: no item was added to a dataset yet.';
  return `${items} of these spans are items of the dataset ${datasetId}; the build is ${state}.`;
}

const versionText = ({ datasetId, number, takenAtMs, seenAtMs, items }: Snapshot): string =>
  `Version ${number} of ${datasetId}, fetched ${isoTime(takenAtMs)}, last seen unchanged ${isoTime(seenAtMs)}; ${items} items`;

export async function versionSource(
  { session, clock, random, copiesDir }: ReportParts,
  { snapshotId, title }: Of<'version'>,
): Promise<ReportSource> {
  const page = { search: '', offset: 0, limit: 1 };
  const { snapshot } = await session.snapshots.ask({ action: 'items', snapshotId, ...page });
  checkRows(snapshot.items);
  const items: [string, unknown][][] = [];
  const folder = join(copiesDir, `report-${random.uuid()}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  try {
    const path = join(folder, 'items.jsonl');
    await session.snapshots.write(snapshotId, path);
    const slicer = new TimeSlicer(clock);
    for await (const line of createInterface({
      input: createReadStream(path),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      items.push(flattened(parseExactObject(line)));
      await slicer.pause();
    }
  } finally {
    await rm(folder, WITH_RETRIES);
  }
  const places = new Map<string, unknown[]>();
  for (const [at, item] of items.entries())
    for (const [name, value] of item) {
      const values = places.get(name) ?? items.map(() => null);
      places.set(name, values);
      values[at] = value;
    }
  const columns = [...places].map(
    ([name, values]): SourceColumn => ({
      ...{ name, title: name, values },
      type: values.every((value) => value === null || typeof value === 'number') ? 'number' : 'text',
      isUsual: true,
    }),
  );
  return {
    kind: 'version',
    title,
    facts: [fact('Version', versionText(snapshot)), fact('Filters', 'None: every item.')],
    rules: {},
    tables: [{ name: 'items', title: 'Items', rows: items.length, columns }],
  };
}

export async function changesSource(
  { session }: ReportParts,
  { from, to, title }: Of<'changes'>,
): Promise<ReportSource> {
  const query = { action: 'diff', from, to, kind: null, limit: CHANGES_AT_ONCE } as const;
  const first = await session.snapshots.ask({ ...query, offset: 0 });
  checkRows(first.total);
  const changes = [...first.changes];
  while (changes.length < first.total) {
    const page = await session.snapshots.ask({ ...query, offset: changes.length });
    if (page.changes.length === 0) break;
    changes.push(...page.changes);
  }
  const drift = first.drift.map(({ path, kind, before, after }) =>
    kind === 'type' ? `${path} from ${before.join(' or ')} to ${after.join(' or ')}` : `${path} ${kind}`,
  );
  return {
    kind: 'changes',
    title,
    facts: [
      fact('Before', versionText(first.from)),
      fact('After', versionText(first.to)),
      fact('Schema', drift.join(', ') || 'The same fields with the same types.'),
    ],
    rules: { same: first.counts.same },
    tables: [
      {
        ...{ name: 'changes', title: 'Changes', rows: changes.length },
        columns: [
          column('change', 'Change', changes, ({ kind }) => kind),
          column('item_id', 'Item', changes, ({ itemId }) => itemId),
          column('fields', 'Fields', changes, ({ fields }) => fields.join(', ') || null),
          column('paired_by', 'Matched by', changes, ({ by }) => by),
          column('title', 'Input', changes, (change) => change.title, {
            ...{ isContent: true, path: 'inputs' },
          }),
        ],
      },
    ],
  };
}

export async function coverageSource(
  { session }: ReportParts,
  { query, title }: Of<'coverage'>,
): Promise<ReportSource> {
  const found = await session.datasets.measureCoverage({ ...query, hasAllValues: true });
  const unread = unreadItemsError(found, 'this dataset');
  if (unread !== null) throw unread;
  // The coverage of a dimension is computed from all of its values, also those that are not listed.
  const compared = found.dimensions.filter(({ isCounted, otherValues }) => isCounted && otherValues === 0);
  const whole = compared.filter((dimension) => isCoverageKnown(found, dimension));
  if (compared.length > 0 && whole.length === 0)
    throw new AppError(
      'NOT_STORED',
      'No span of the items of this dataset is stored here, so it is not known which values they have. Keep the spans of its application offline, then try again.',
    );
  const values = whole.flatMap((dimension) => dimension.values.map((value) => ({ ...value, dimension })));
  if (values.length === 0)
    throw new AppError(
      'NOT_STORED',
      'No values of production are stored to compare the dataset with. Keep its application offline, then try again.',
    );
  const left = found.dimensions.length - whole.length + found.otherDimensions;
  const { items, spans } = found;
  return {
    kind: 'coverage',
    title,
    facts: [
      fact(
        'Items',
        `${items.stored} stored${items.total === null ? '' : ` of ${items.total}`}, as of ${isoTime(items.oldestMs)}; the span of ${items.withSpan} is stored`,
      ),
      fact('Production', `${spans.stored} stored spans, as of ${isoTime(spans.oldestMs)}`),
      fact(
        'Dimensions',
        `${whole.length} with few enough values to compare; ${left} others do not count and are left out.`,
      ),
    ],
    rules: {},
    tables: [
      {
        ...{ name: 'values', title: 'Values', rows: values.length },
        columns: [
          column('dimension', 'Dimension', values, ({ dimension }) => dimension.title),
          column('value', 'Value', values, ({ value }) => value, {
            paths: values.map(({ dimension }) => dimension.key),
          }),
          column('production', 'Production rows', values, ({ rows }) => rows, NUMBER),
          column('items', 'Items', values, (value) => value.items, NUMBER),
        ],
      },
    ],
  };
}
