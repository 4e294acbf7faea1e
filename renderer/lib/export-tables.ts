/** Tables of views that are not lists of the service, in the form that an export expects. Pure. */
import { cutText } from '../../electron/shared/cut-text.ts';
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import type { TableExportPlan } from '../../electron/shared/export-model.ts';
import type { Freshness, ListQuery } from '../../electron/shared/model.ts';
import type { RunFilter, RunsComparison } from '../../electron/shared/run-comparison.ts';
import type { ScoreRun } from '../../electron/shared/score-model.ts';
import { MAX_COUNTED_HITS, type SearchAnswer } from '../../electron/shared/search-contract.ts';
import type { Snapshot, SnapshotDiff } from '../../electron/shared/snapshot-model.ts';
import type { UploadJob } from '../../electron/shared/upload-model.ts';
import type { ChartSeries } from './chart/types.ts';
import type { TableSubject } from './export-words.ts';
import { formatCount, formatNumber } from './format.ts';
import type { LogFilter } from './request-log.ts';
import { sumOf } from './search-words.ts';

type TableOf<F extends TableExportPlan['table']['form']> = TableExportPlan['table'] & { form: F };

/** The results of a search; null if nothing was found. */
export function searchSubject(
  ask: TableOf<'search'>['ask'],
  answer: Pick<SearchAnswer, 'groups'> | null,
): TableSubject | null {
  const { count, hasMore } = sumOf(answer?.groups ?? []);
  if (count === 0) return null;
  const rows = hasMore
    ? `Up to ${formatNumber(MAX_COUNTED_HITS)} results of each kind, the best first`
    : `All ${formatCount(count, 'result')}`;
  return {
    name: `Results for ${ask.typed.trim()}`,
    table: { form: 'search', ask: { ...ask } },
    rowsText: `${rows}. What is stored is searched again when the file is written; nothing is requested from the service.`,
  };
}

/** Null if no session is shown. `rows`: number of shown sessions. */
export function sessionsSubject(
  name: string,
  choice: Omit<TableOf<'sessions'>, 'form'>,
  rows: number,
  { storedRows, isComplete }: Pick<Freshness, 'storedRows' | 'isComplete'>,
): TableSubject | null {
  if (rows === 0) return null;
  const spans = `${isComplete ? '' : 'the stored '}${formatCount(storedRows, 'span')}`;
  return {
    name,
    table: { form: 'sessions', ...choice },
    rowsText: `The ${formatCount(rows, 'session')} shown, counted over ${spans}; nothing is requested from the service.`,
  };
}

/** All items of a run, or only the items with one state; null if there are none. */
export function scoresSubject(
  { counts, plan, name, runId }: ScoreRun,
  fate: RunFilter['fate'],
): TableSubject | null {
  const state = fate === 'good' ? 'scored' : fate;
  const rows = state === null ? counts.items : counts[state];
  if (rows === 0) return null;
  const words = { unscored: 'open', scored: 'scored', skipped: 'skipped', failed: 'failed' } as const;
  const which =
    state === null
      ? `All ${formatCount(rows, 'item')} of the run`
      : `The ${formatCount(rows, `${words[state]} item`)} of the run`;
  return {
    name: `Scores of ${plan.datasetName}, ${name}`,
    table: { form: 'scores', runId, state },
    rowsText: `${which}, with each score, its label and its reasoning.`,
  };
}

/** The compared items; null if none is shown. */
export function comparedRunsSubject(
  query: Omit<TableOf<'runs'>, 'form'>,
  { runs, score }: Pick<RunsComparison, 'runs' | 'score'>,
  rows: number,
): TableSubject | null {
  if (rows === 0) return null;
  return {
    name: cutText(runs.map(({ name }) => name).join(', '), 200),
    table: { form: 'runs', ...query },
    rowsText: `${formatCount(rows, 'item')} shown, each with its state, ${score ?? 'score'}, ${runs.length === 1 ? '' : 'difference from the baseline, '}reason, latency and the beginning of its output in each run, and its failure kind.`,
  };
}

/** The receipts of an upload; null if no row is acknowledged yet. */
export function receiptsSubject({ counts, fileName, jobId }: UploadJob): TableSubject | null {
  if (counts.acknowledged === 0) return null;
  return {
    name: `Receipts of ${fileName}`,
    table: { form: 'receipts', jobId },
    rowsText: `${formatCount(counts.acknowledged, 'acknowledged row')}, each with its line, its batch and its event id.`,
  };
}

/** The rejected rows of a file. `ownerId`: id of an upload, or of a check of its file. */
export function badRowsSubject(ownerId: string, fileName: string, rows: number): TableSubject {
  return {
    name: `Bad rows of ${fileName}`,
    table: { form: 'bad-rows', ownerId },
    rowsText: `${formatCount(rows, 'bad row')}, each with its line, its column, the value and the reason.`,
  };
}

/** `states`: filter by state; null for all. Returns null if there are no batches. */
export function batchesSubject(
  { jobId, fileName }: UploadJob,
  states: TableOf<'batches'>['states'],
  batches: number | null,
): TableSubject | null {
  if (batches === null || batches === 0) return null;
  return {
    name: `Batches of ${fileName}`,
    table: { form: 'batches', jobId, states },
    rowsText: `${states === null ? 'All' : 'The'} ${formatCount(batches, 'batch', 'batches')}${states === null ? '' : ' shown'}, each with its rows, its outcome, its times and what the service said.`,
  };
}

export function notFoundSubject({ buildId, name, counts }: DatasetBuild): TableSubject {
  return {
    name: `Spans not found of ${name}`,
    table: { form: 'not-found', buildId },
    rowsText: `${formatCount(counts.unresolved, 'span')} that the service did not find or that were left out for this reason, each with its answer.`,
  };
}

/** The shown requests of the log; null if none matches the filter. */
export function requestsSubject({ text, ...filter }: LogFilter, rows: number): TableSubject | null {
  if (rows === 0) return null;
  return {
    name: 'Requests',
    table: { form: 'requests', filter: { ...filter, text: text.trim() === '' ? null : text } },
    rowsText: `${formatCount(rows, 'request')} of the log, oldest first, without bodies and headers: those are in the HTTP archive.`,
  };
}

/** The changes between two versions; null if nothing differs. `name`: name of the dataset. */
export function changesSubject(
  name: string,
  { from, to, total }: Pick<SnapshotDiff, 'from' | 'to' | 'total'>,
  kind: TableOf<'changes'>['kind'],
): TableSubject | null {
  if (total === 0) return null;
  return {
    name: `Changes of ${name} v${from.number} to v${to.number}`,
    table: { form: 'changes', from: from.snapshotId, to: to.snapshotId, kind },
    rowsText: `${formatCount(total, kind === null ? 'change' : `${kind} item`)}, each with the item before and after.`,
  };
}

/** The items of a version; null if it has none. `name`: name of the dataset. */
export function versionSubject(
  name: string,
  { snapshotId, number, items }: Pick<Snapshot, 'snapshotId' | 'number' | 'items'>,
): TableSubject | null {
  if (items === 0) return null;
  return {
    name: `${name} v${number}`,
    table: { form: 'version', snapshotId },
    rowsText: `All ${formatCount(items, 'item')} of the version, each as it was then. Nothing is requested from the service.`,
  };
}

/** `query`: the query whose answer is shown. Returns null if the answer has no values. */
export function chartSubject({
  name,
  query,
  earlier,
  series: drawn,
  comparedWith,
}: {
  name: string;
  query: ListQuery | null;
  earlier: ListQuery | null;
  series: readonly Pick<ChartSeries, 'id' | 'name' | 'times' | 'earlierOf'>[];
  /** The earlier period shown with the series, e.g. `previous week`; null if there is none. */
  comparedWith: string | null;
}): TableSubject | null {
  const series = drawn.filter(({ earlierOf }) => earlierOf === undefined);
  const values = series.reduce((sum, { times }) => sum + times.length, 0);
  if (query === null || values === 0) return null;
  return {
    name,
    table: {
      form: 'chart',
      query,
      earlier,
      names: Object.fromEntries(series.map((each) => [each.id, each.name])),
    },
    rowsText: `All ${formatCount(values, 'value')} of ${formatCount(series.length, 'series', 'series')}, a row for each${comparedWith === null ? '' : `, with the value of the ${comparedWith} and the difference beside it`}, whatever part of the chart is in view.`,
  };
}
