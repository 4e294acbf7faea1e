/** Reads the stored rows of tables that are not lists of the service, for exports. */

import type { Builds, Comparisons, Scores } from '../datasets/types.ts';
import type { RequestLogStore } from '../db/request-log-store.ts';
import type { ReadTable } from '../export/types.ts';
import type { Search } from '../library/search.ts';
import type { Snapshots } from '../library/snapshots.ts';
import type { Library } from '../library/types.ts';
import { ANSWER_NAMES, type ChartValues, readValues, valueRows } from '../shared/chart-values.ts';
import { AppError } from '../shared/errors.ts';
import type { HeldTable, StoredTable } from '../shared/export-model.ts';
import type { ListQuery, ListRow, RowPage, RowWindow } from '../shared/model.ts';
import { type ComparedItem, titlesOf } from '../shared/run-comparison.ts';
import { MAX_COUNTED_HITS, type SearchHit } from '../shared/search-contract.ts';
import type { Snapshot } from '../shared/snapshot-model.ts';
import type { Uploads } from '../uploads/types.ts';

interface StoredParts {
  library: Pick<Library, 'openList' | 'openRecord' | 'readRows' | 'release'>;
  uploads: Pick<Uploads, 'getJob' | 'manifest' | 'listBadRows'>;
  builds: Pick<Builds, 'get'>;
  scores: Pick<Scores, 'get' | 'results' | 'tracesOf'>;
  comparisons: Pick<Comparisons, 'compare'>;
  search: Pick<Search, 'find' | 'follow'>;
  snapshots: Pick<Snapshots, 'ask'>;
  requestLog: Pick<RequestLogStore, 'list'>;
  /** Paths of the store files. */
  files: Readonly<Record<'library' | 'uploads' | 'datasets' | 'snapshots', string>>;
}
type TableOf<F extends StoredTable['form']> = StoredTable & { form: F };

const HITS_AT_ONCE = 100;
const COMPARED_AT_ONCE = 500;
const SESSIONS_AT_ONCE = 200;
/** Maximum attempts to read sessions. Pages can arrive while they are read, and they are then read again. */
const SESSION_READS = 3;

/** Reads a table without sending requests. Throws INVALID_ARGUMENT or NOT_STORED if it does not exist any more. */
export async function readTable(parts: StoredParts, table: StoredTable): Promise<ReadTable> {
  switch (table.form) {
    case 'scores':
      return readScores(parts.scores, table);
    case 'runs':
      return readRuns(parts.comparisons, table);
    case 'receipts':
      return readReceipts(parts, table);
    case 'bad-rows':
      return readBadRows(parts, table);
    case 'batches':
      return readBatches(parts, table);
    case 'not-found':
      return readNotFound(parts, table);
    case 'picked':
      return readPicked(parts, table);
    case 'requests':
      return readRequests(parts, table);
    case 'changes':
      return readChanges(parts, table);
    case 'version':
      return readVersion(parts, table);
    case 'search':
      return readHits(parts.search, table);
    case 'sessions':
      return readSessions(parts.library, table);
    case 'chart':
      return readChart(parts.library, table);
  }
}

const isoTime = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());
const ageless = { oldestMs: null, newestMs: null };

/** One row for each item, with each score and its details. */
async function readScores(
  scores: StoredParts['scores'],
  { runId, state }: TableOf<'scores'>,
): Promise<ReadTable> {
  const { plan, name, counts } = scores.get(runId);
  const { evaluator, datasetId, datasetName } = plan;
  const traces = await scores.tracesOf(datasetId);
  function* rows() {
    for (const result of scores.results(runId, state)) {
      const given = result.scores.map(({ name, ...score }) => [name, score]);
      yield {
        ...{ item_id: result.itemId, state: result.state, scores: Object.fromEntries(given) },
        ...{ error: result.error?.message ?? null, at: isoTime(result.atMs) },
        // Included because items of one trace count together in comparisons of the file.
        trace_id: traces.get(result.itemId) ?? null,
      };
    }
  }
  const about = { table: 'scores', runId, name, evaluator, datasetId, datasetName, state };
  return { about, rows: rows(), isComplete: counts.unscored === 0, ...ageless };
}

/** One row for each item that passes the filter, in its order: score, output and duration in each run. */
async function readRuns(
  comparisons: StoredParts['comparisons'],
  { form: table, ...query }: TableOf<'runs'>,
): Promise<ReadTable> {
  const rows: ComparedItem[] = [];
  const pageOf = async (offset: number) =>
    comparisons.compare({ ...query, hasShape: false, offset, limit: COMPARED_AT_ONCE });
  const first = await pageOf(0);
  for (let page = first; page.rows.length > 0; page = await pageOf(rows.length)) rows.push(...page.rows);
  const names = titlesOf(first.runs);
  const ages = first.runs.flatMap(({ asOfMs }) => asOfMs ?? []);
  return {
    about: { table, ...query, score: first.score, names },
    rows: rows.map(({ itemId, title, failureKind, sides }) => ({
      ...{ item_id: itemId, input: title },
      ...Object.fromEntries(
        sides.map((side, at) => [
          names[at] ?? String(at + 1),
          side === null
            ? null
            : {
                ...{ status: side.fate, value: side.value, label: side.label },
                ...{ difference: side.difference, change: side.change, duration_ms: side.durationMs },
                ...{ output: side.output, reasoning: side.reasoning },
                results_left_out: side.leftOut ?? 0,
              },
        ]),
      ),
      failure_kind: failureKind,
    })),
    isComplete: first.runs.every(({ isComplete }) => isComplete),
    oldestMs: ages.length === 0 ? null : Math.min(...ages),
    newestMs: ages.length === 0 ? null : Math.max(...ages),
  };
}

function readReceipts({ uploads, files }: StoredParts, table: TableOf<'receipts'>): ReadTable {
  const { jobId } = table;
  const { fileName, counts, batches } = uploads.getJob(jobId);
  if (counts.acknowledged === 0)
    throw new AppError('NOT_STORED', `No rows of ${fileName} are acknowledged: there are no receipts.`);
  const about = { table: table.form, jobId, fileName, upload: uploads.manifest(jobId) };
  return { about, rows: heldIn(files.uploads, table), isComplete: batches.unknown === 0, ...ageless };
}

function readBadRows({ uploads, files }: StoredParts, table: TableOf<'bad-rows'>): ReadTable {
  const { ownerId } = table;
  if (uploads.listBadRows({ ownerId, offset: 0, limit: 1 }).total === 0)
    throw new AppError('NOT_STORED', 'These bad rows are not stored any more. Check the file again.');
  return {
    about: { table: table.form, ownerId },
    rows: heldIn(files.uploads, table),
    isComplete: true,
    ...ageless,
  };
}

/** Batches in their state at the time of writing; of an upload that is still sending, some may be missing. */
function readBatches({ uploads, files }: StoredParts, table: TableOf<'batches'>): ReadTable {
  const { jobId, states } = table;
  const { fileName, endedAtMs } = uploads.getJob(jobId);
  const about = { table: table.form, jobId, fileName, states };
  return { about, rows: heldIn(files.uploads, table), isComplete: endedAtMs !== null, ...ageless };
}

function readNotFound({ builds, files }: StoredParts, table: TableOf<'not-found'>): ReadTable {
  const { buildId } = table;
  const { name, datasetId, state } = builds.get(buildId);
  const about = { table: table.form, buildId, name, datasetId };
  return { about, rows: heldIn(files.datasets, table), isComplete: state === 'done', ...ageless };
}

function readPicked({ builds, files }: StoredParts, table: TableOf<'picked'>): ReadTable {
  const { buildId } = table;
  const { name, applicationName, counts } = builds.get(buildId);
  if (counts.picked === 0)
    throw new AppError('NOT_STORED', `No spans are selected in ${name}: there is nothing to export.`);
  const about = { table: table.form, buildId, name, application: applicationName };
  // The table is incomplete if only the identity of some items is known.
  const isComplete = counts.withoutRecord === 0;
  return { about, rows: heldIn(files.datasets, table), isComplete, ...ageless };
}

function readRequests({ requestLog, files }: StoredParts, table: TableOf<'requests'>): ReadTable {
  if (requestLog.list({ ...table.filter, limit: 1, beforeSeq: null }).matchingRows === 0)
    throw new AppError(
      'NOT_STORED',
      'No requests of the log match the filter. Change it, then export again.',
    );
  return {
    about: { table: table.form, ...table.filter },
    rows: heldIn(files.library, table),
    isComplete: true,
    ...ageless,
  };
}

async function readChanges({ snapshots, files }: StoredParts, table: TableOf<'changes'>): Promise<ReadTable> {
  const { form, ...pair } = table;
  const { from, to, counts } = await snapshots.ask({ action: 'diff', ...pair, offset: 0, limit: 1 });
  return {
    about: { table: form, from: versionOf(from), to: versionOf(to), kind: pair.kind, counts },
    rows: heldIn(files.snapshots, table),
    isComplete: true,
    ...{ oldestMs: from.takenAtMs, newestMs: to.takenAtMs },
  };
}

async function readVersion({ snapshots, files }: StoredParts, table: TableOf<'version'>): Promise<ReadTable> {
  const { form, snapshotId } = table;
  const page = { search: '', offset: 0, limit: 1 };
  const { snapshot } = await snapshots.ask({ action: 'items', snapshotId, ...page });
  return {
    about: { table: form, ...versionOf(snapshot) },
    rows: heldIn(files.snapshots, table),
    isComplete: true,
    ...{ oldestMs: snapshot.takenAtMs, newestMs: snapshot.takenAtMs },
  };
}

const versionOf = ({ datasetId, number, takenAtMs, items }: Snapshot) => ({
  ...{ datasetId, version: number, takenAt: isoTime(takenAtMs), items },
});

const heldIn = (file: string, table: HeldTable) => ({ form: 'held' as const, file, table });

/** The best hits of each kind, as many as the search counts, from a complete index. */
async function readHits(search: StoredParts['search'], { ask }: TableOf<'search'>): Promise<ReadTable> {
  await search.follow();
  const found: SearchHit[] = [];
  let isComplete = true;
  let oldestMs: number | null = null;
  for (let offset = 0; offset < MAX_COUNTED_HITS; offset += HITS_AT_ONCE) {
    const answer = await search.find({ ...ask, offset, limit: HITS_AT_ONCE });
    isComplete &&= !answer.isCut && answer.rowsLeft === 0 && answer.groups.every(({ hasMore }) => !hasMore);
    for (const { hits, reach } of answer.groups) {
      found.push(...hits);
      if (hits.length > 0 && reach.oldestMs !== null)
        oldestMs = Math.min(oldestMs ?? reach.oldestMs, reach.oldestMs);
    }
    if (answer.groups.every(({ count }) => count <= offset + HITS_AT_ONCE)) break;
  }
  // Hits are grouped by kind, in the order of the window, because later answers have more hits of each kind.
  const order = [...new Set(found.map(({ kind }) => kind))];
  const rows = found.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind)).map(hitRow);
  return { about: { table: 'search', ...ask }, rows, isComplete, oldestMs, newestMs: null };
}

async function readSessions(library: StoredParts['library'], table: TableOf<'sessions'>): Promise<ReadTable> {
  const { query, ...shown } = table;
  const viewId = `export ${JSON.stringify(query)}`;
  const state = async () => (await library.openList({ viewId, query, refresh: 'never' })).freshness;
  try {
    for (let read = 0; read < SESSION_READS; read += 1) {
      const { storedRows, oldestMs, newestMs, isComplete } = await state();
      if (newestMs === null) break;
      const rows = await sessionRows(library, table);
      const after = await state();
      if (after.storedRows !== storedRows || after.newestMs !== newestMs) continue;
      const about = { ...shown, table: 'sessions', query, spans: storedRows };
      return { about, rows, isComplete, oldestMs, newestMs };
    }
  } finally {
    library.release(viewId);
  }
  throw new AppError(
    'NOT_STORED',
    'The spans of these sessions are not stored, or more of them arrive. Open them, wait until they are read, then resume.',
  );
}

async function sessionRows(
  library: StoredParts['library'],
  { query, narrow, filters, sort }: TableOf<'sessions'>,
): Promise<ListRow['record'][]> {
  const found: ListRow['record'][] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const window: RowWindow = { offset, limit: SESSIONS_AT_ONCE, narrow, filters, sort, groupBy: 'session' };
    const { rows, matchingRows, nextOffset }: RowPage = await library.readRows({ query, window });
    found.push(...rows.map(({ record }) => record));
    const next: number = nextOffset ?? offset + SESSIONS_AT_ONCE;
    offset = next < matchingRows ? next : null;
  }
  return found;
}

const hitRow = ({ kind, title, found, note, place, atMs, id, target }: SearchHit) => ({
  ...{ kind, title, field: found?.field ?? null, text: found?.text ?? null },
  ...{ note, place, at: isoTime(atMs), id, target },
});

async function readChart(library: StoredParts['library'], table: TableOf<'chart'>): Promise<ReadTable> {
  const { query, earlier, names } = table;
  const answer = await storedAnswer(library, query);
  const before = earlier === null ? null : await storedAnswer(library, earlier);
  const values = readValues(answer.record, query.body ?? {}, ANSWER_NAMES, before?.record ?? null);
  const read = [answer, before].flatMap((each) => each?.freshness ?? []);
  return {
    about: { table: 'chart', query, earlier, ...comparedWith(values) },
    rows: valueRows(values, (id) => names[id]),
    isComplete: true,
    oldestMs: earliest(read.map(({ oldestMs }) => oldestMs)),
    newestMs: answer.freshness.newestMs,
  };
}

const earliest = (times: readonly (number | null)[]): number | null =>
  times.reduce((least, ms) => (least === null || ms === null ? (least ?? ms) : Math.min(least, ms)), null);

/** Facts for the manifest: the earlier period of a comparison, and the baselines of the metrics. */
function comparedWith({ comparison, series }: ChartValues) {
  const compared = series.filter(({ earlier }) => earlier !== null);
  const baselines = new Map(
    series.flatMap(({ baseline }) => (baseline === null ? [] : [[baseline.id, baseline]])),
  );
  return {
    /** Null if no comparison was requested. */
    comparison:
      comparison === null
        ? null
        : {
            with: comparison.asked,
            found: comparison.isThere,
            series: compared.length,
            valuesWithoutCounterpart: compared.reduce((sum, { earlier }) => sum + (earlier?.leftOut ?? 0), 0),
          },
    baselines: [...baselines.values()],
  };
}

async function storedAnswer(library: StoredParts['library'], query: ListQuery) {
  const viewId = `export ${JSON.stringify(query)}`;
  const state = await library.openRecord({ viewId, query, refresh: 'never' }, 'whole');
  library.release(viewId);
  if (state.record !== null) return state;
  throw new AppError(
    'NOT_STORED',
    'The values of this chart are not stored any more. Open the chart, then resume.',
  );
}
