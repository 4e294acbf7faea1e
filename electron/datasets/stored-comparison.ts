/** Compares stored runs. The columns of the latest runs stay in memory: a filter or another page reads only its rows. */

import { elementAt } from '../core/element-at.ts';
import { RunsMatch } from '../core/items/compare-runs.ts';
import { RUN_FATES, type RunColumns } from '../core/items/run-columns.ts';
import type { ColumnFiles } from '../db/run-column-files.ts';
import type { PlacedResult, RunReads } from '../db/run-reads.ts';
import { parseExact, writeExact } from '../shared/exact-json.ts';
import { fateOf, mainText } from '../shared/experiment-result.ts';
import { whole } from '../shared/pieces.ts';
import {
  type ChosenItem,
  type ComparedItem,
  type ComparedRun,
  type ComparedSide,
  type RunItem,
  type RunRef,
  type RunResult,
  type RunsComparison,
  type RunsQuery,
  runKey,
  type SpanOrigin,
} from '../shared/run-comparison.ts';
import type { ScoreInput } from '../shared/score-model.ts';

/** The place where the results of a run are stored. */
export interface RunSource {
  ref: RunRef;
  /** Changes with the results of an experiment; empty for a score run made here, whose version is read with its items. */
  version: string;
  /** All results of an experiment are stored; false for a score run made here. */
  isComplete: boolean;
  /** Stored list of an experiment's results; 0 for a score run made here. */
  generationId: number;
  /** Evaluator of a score run made here; empty for an experiment. */
  evaluator: string;
  inputs: readonly ScoreInput[];
}

export interface StoredRequest {
  sources: readonly RunSource[];
  /** Null if it is not known: then no item has a trace. */
  datasetId: string | null;
  ask:
    | { form: 'compare'; query: Omit<RunsQuery, 'runs'> }
    | { form: 'ids'; query: Omit<RunsQuery, 'runs'> }
    | { form: 'item'; itemId: string }
    /** Reads the runs, and answers nothing. */
    | { form: 'prepare' };
}

/** Without what the stores of the main thread know about the runs. */
export type StoredAnswer =
  | { form: 'compare'; answer: Omit<RunsComparison, 'runs' | 'dataset'> & { runs: RunCounts[] } }
  /** A page of the items of the filter, in order. */
  | { form: 'ids'; items: ChosenItem[] }
  /** JSON that keeps the digits of numbers. */
  | { form: 'item'; json: string }
  | { form: 'prepare' };
type RunCounts = Omit<ComparedRun, 'ref' | 'name' | 'isComplete' | 'asOfMs'>;

const MAX_RUNS = 8;
const MAX_TITLE = 160;
/** For all runs of an item together, which bounds an answer. */
const MAX_OUTPUTS = 400;
/** Characters of a text of an item that is read alone. */
const MAX_VALUE = 20_000;
/** Results of one item in one run. */
const MAX_RESULTS = 20;

/** The results of a run at the time of a request. */
interface RunNow {
  version: string;
  /** No further results are expected. */
  isComplete: boolean;
}
interface Held {
  version: string;
  columns: RunColumns;
}
interface Matched {
  key: string;
  match: RunsMatch;
  traces: ReadonlyMap<string, string>;
  /** By direction. */
  summaries: Map<boolean, Pick<RunsComparison, 'scores' | 'measures'>>;
  words: { key: string; items: ReadonlySet<string> } | null;
  /** Null until they are asked for. */
  origins: ReadonlyMap<string, SpanOrigin> | null;
}

export class StoredComparisons {
  readonly #openReads: () => RunReads;
  readonly #files: ColumnFiles | null;
  /** By run, the latest last. */
  readonly #held = new Map<string, Held>();
  #matched: Matched | null = null;

  /** `files`: null if columns are kept in memory only. */
  constructor(openReads: () => RunReads, files: ColumnFiles | null = null) {
    this.#openReads = openReads;
    this.#files = files;
  }

  /** Throws SQLite errors and STORE_DAMAGED. */
  answer({ sources, datasetId, ask }: StoredRequest): StoredAnswer {
    const reads = this.#openReads();
    try {
      const now = sources.map((source) => runNow(reads, source));
      const columns = sources.map((source, run) => this.#columnsOf(reads, source, elementAt(now, run)));
      if (ask.form === 'prepare') return { form: 'prepare' };
      if (ask.form === 'item') {
        const traceId = datasetId === null ? null : (reads.tracesOf(datasetId).get(ask.itemId) ?? null);
        const sides = sources.map((source, run) =>
          resultsOf(reads, source, elementAt(columns, run), ask.itemId),
        );
        return { form: 'item', json: writeExact({ sides, traceId } satisfies RunItem) };
      }
      const { baseline, score: asked, lowerIsBetter, filter, offset, limit } = ask.query;
      const matched = this.#match(reads, { sources, now, columns, baseline, datasetId });
      const { match } = matched;
      const score = asked !== null && match.keys.includes(asked) ? asked : (match.keys[0] ?? null);
      const withWords =
        filter.words.trim() === '' ? null : wordsOf(reads, matched, sources, filter.words.trim());
      const chosen = match.choose({ score, lowerIsBetter, filter, withWords });
      if (ask.form === 'ids') {
        // A draft can be removed between two requests, not between two pages.
        if (offset === 0) matched.origins = null;
        matched.origins ??= datasetId === null ? new Map() : reads.originsOf(datasetId);
        const { origins } = matched;
        const items = Array.from(chosen.rows.subarray(offset, offset + limit), (item) => {
          const itemId = elementAt(match.itemIds, item);
          return {
            ...{ itemId, traceId: matched.traces.get(itemId) ?? null },
            origin: origins.get(itemId) ?? null,
          };
        });
        return { form: 'ids', items };
      }
      const summary = matched.summaries.get(lowerIsBetter) ?? {
        scores: whole(match.scores(lowerIsBetter)),
        measures: whole(match.measures()),
      };
      matched.summaries.set(lowerIsBetter, summary);
      const shown = [...chosen.rows.subarray(offset, offset + limit)];
      const answer = {
        runs: columns.map((own, run) => countsOf(own, match.overlap(run))),
        ...summary,
        ...{ score, labels: score === null ? [] : match.labelsOf(score) },
        ...{ counts: chosen.counts, failed: chosen.failed, skipped: chosen.skipped },
        rows: rowsOf({ reads, sources, columns, match, score, lowerIsBetter, baseline }, shown),
        total: chosen.rows.length,
        items: match.itemIds.length,
      };
      return { form: 'compare', answer };
    } finally {
      reads.close();
    }
  }

  #columnsOf(reads: RunReads, source: RunSource, now: RunNow): RunColumns {
    const { version } = now;
    const key = runKey(source.ref);
    const known = this.#held.get(key);
    this.#held.delete(key);
    const columns = known?.version === version ? known.columns : this.#storedColumns(reads, source, now);
    this.#held.set(key, { version, columns });
    for (const oldest of [...this.#held.keys()].slice(0, -MAX_RUNS)) this.#held.delete(oldest);
    return columns;
  }

  #storedColumns(
    reads: RunReads,
    { ref, generationId, evaluator }: RunSource,
    { version, isComplete }: RunNow,
  ): RunColumns {
    const key = runKey(ref);
    const kept = isComplete ? this.#files?.load(key, version) : null;
    if (kept != null) return kept;
    const columns =
      ref.kind === 'scores' ? reads.scoreRun(ref.id, evaluator) : reads.experiment(generationId);
    // Failed items of a finished run are unscored before it runs again.
    if (isComplete && columns.results.unscored === 0) this.#files?.save(key, version, columns);
    return columns;
  }

  #match(reads: RunReads, { sources, now, columns, baseline, datasetId }: MatchParts): Matched {
    const runs = sources.map(({ ref }, run) => [ref, now[run]?.version]);
    const tracesVersion = datasetId === null ? '' : reads.tracesVersion(datasetId);
    const key = JSON.stringify([runs, baseline, datasetId, tracesVersion]);
    if (this.#matched?.key === key) return this.#matched;
    const traces = datasetId === null ? new Map<string, string>() : reads.tracesOf(datasetId);
    const clusterOf = traces.size === 0 ? null : (itemId: string) => traces.get(itemId) ?? null;
    const match = new RunsMatch(columns, { baseline, clusterOf });
    this.#matched = { key, match, traces, summaries: new Map(), words: null, origins: null };
    return this.#matched;
  }
}

interface MatchParts {
  sources: readonly RunSource[];
  /** By the place of the run, as the columns. */
  now: readonly RunNow[];
  columns: readonly RunColumns[];
  baseline: number;
  datasetId: string | null;
}

/** A score run can change between the request and the reading of its items: its version is read with them. */
function runNow(reads: RunReads, { ref, version, isComplete }: RunSource): RunNow {
  if (ref.kind === 'experiment') return { version, isComplete };
  const state = reads.scoreRunState(ref.id);
  return { version: state?.version ?? '', isComplete: state?.isDone ?? false };
}

function countsOf(
  { results, itemIds, repeated }: RunColumns,
  overlap: ReturnType<RunsMatch['overlap']>,
): RunCounts {
  let repetitions = itemIds.length === 0 ? 0 : 1;
  for (const positions of repeated.values()) repetitions = Math.max(repetitions, positions.length);
  return { results, items: itemIds.length, repetitions, ...overlap };
}

function wordsOf(
  reads: RunReads,
  matched: Matched,
  sources: readonly RunSource[],
  words: string,
): ReadonlySet<string> {
  if (matched.words?.key === words) return matched.words.items;
  const items = new Set<string>();
  for (const { ref, generationId } of sources) {
    const found =
      ref.kind === 'scores' ? reads.scoreItemsWith(ref.id, words) : reads.resultsWith(generationId, words);
    for (const itemId of found) items.add(itemId);
  }
  matched.words = { key: words, items };
  return items;
}

interface RowParts {
  reads: RunReads;
  sources: readonly RunSource[];
  columns: readonly RunColumns[];
  match: RunsMatch;
  score: string | null;
  lowerIsBetter: boolean;
  baseline: number;
}

type Texts = Pick<ComparedSide, 'output' | 'problem'> & { title: string };

/** Rows of one page, with their texts. */
function rowsOf(parts: RowParts, items: readonly number[]): ComparedItem[] {
  if (items.length === 0) return [];
  const { reads, sources, columns, match, score, lowerIsBetter, baseline } = parts;
  const most = Math.floor(MAX_OUTPUTS / sources.length);
  const texts = sources.map((source, run) => {
    const places = items.map((item) => match.placeOf(run, item));
    return source.ref.kind === 'scores'
      ? scoreTexts(reads, source, places, elementAt(columns, run), most)
      : resultTexts(reads, source, places, elementAt(columns, run), most);
  });
  return items.map((item): ComparedItem => {
    const sides = sources.map((_, run): ComparedSide | null => {
      const own = elementAt(columns, run);
      const place = match.placeOf(run, item);
      if (place < 0) return null;
      const { output = '', problem = null } = texts[run]?.get(place) ?? {};
      const none = { value: null, label: null };
      const { value, label } = score === null ? none : match.scoreAt(score, run, item);
      const earlier = score === null ? none : match.scoreAt(score, baseline, item);
      const isCompared = run !== baseline && value !== null && earlier.value !== null;
      const durationMs = elementAt(own.durations.values, place);
      return {
        fate: elementAt(RUN_FATES, elementAt(own.fates, place)),
        ...{ output, value, label, problem },
        change: score === null ? null : match.changeAt(score, lowerIsBetter, run, item),
        difference: isCompared && value !== null && earlier.value !== null ? value - earlier.value : null,
        durationMs: Number.isNaN(durationMs) ? null : durationMs,
        results: own.repeated.get(place)?.length ?? 1,
      };
    });
    const titles = texts.flatMap((of, run) => of.get(match.placeOf(run, item))?.title ?? []);
    return {
      itemId: elementAt(match.itemIds, item),
      title: titles.find((title) => title !== '') ?? '',
      sides,
    };
  });
}

/** By the place of the item in the columns. */
function resultTexts(
  reads: RunReads,
  { generationId }: RunSource,
  places: readonly number[],
  columns: RunColumns,
  most: number,
): Map<number, Texts> {
  const found = new Map<number, Texts>();
  const byPosition = new Map(
    places.flatMap((place) => (place < 0 ? [] : [[elementAt(columns.positions, place), place] as const])),
  );
  for (const { position, result } of reads.results(generationId, [...byPosition.keys()], JSON.parse)) {
    const place = byPosition.get(position);
    if (place === undefined) continue;
    found.set(place, {
      title: beginning(mainText(result.inputs), MAX_TITLE),
      output: beginning(mainText(result.outputs), most),
      problem: problemOf(result),
    });
  }
  return found;
}

const problemOf = ({ errorMessage, errorReason }: PlacedResult['result']): string | null =>
  errorMessage ?? errorReason;

function scoreTexts(
  reads: RunReads,
  { ref, inputs }: RunSource,
  places: readonly number[],
  { itemIds }: RunColumns,
  most: number,
): Map<number, Texts> {
  const { about, judged } = inputsShown(inputs);
  const wanted = new Map(
    places.flatMap((place) => (place < 0 ? [] : [[elementAt(itemIds, place), place] as const])),
  );
  const found = new Map<number, Texts>();
  for (const { itemId, inputs: given, error } of reads.scoreItems(ref.id, [...wanted.keys()])) {
    const place = wanted.get(itemId);
    if (place === undefined) continue;
    const textOf = (input: string | undefined, size: number) =>
      input === undefined ? '' : beginning(given?.[input], size);
    found.set(place, {
      title: textOf(about, MAX_TITLE),
      output: textOf(judged, most),
      problem: error?.message ?? null,
    });
  }
  return found;
}

/** The input that describes the item, and the one that was judged. */
function inputsShown(inputs: readonly ScoreInput[]): {
  about: string | undefined;
  judged: string | undefined;
} {
  const fields = inputs.filter(({ from }) => from.kind === 'field');
  const isInput = ({ from }: ScoreInput) => from.kind === 'field' && from.bucket === 'inputs';
  const about = fields.find(isInput) ?? fields[0];
  const judged = fields.findLast((field) => !isInput(field)) ?? about;
  return { about: about?.input, judged: judged?.input };
}

/** The beginning of a value on one line. */
function beginning(value: unknown, most: number): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? value.slice(0, most * 4) : JSON.stringify(value);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

function resultsOf(reads: RunReads, source: RunSource, columns: RunColumns, itemId: string): RunResult[] {
  const { ref, generationId, inputs, evaluator } = source;
  const at = columns.itemIds.indexOf(itemId);
  if (at < 0) return [];
  if (ref.kind === 'experiment') {
    const positions = columns.repeated.get(at) ?? [elementAt(columns.positions, at)];
    return reads.results(generationId, positions.slice(0, MAX_RESULTS), parseExact).map(({ result }) => {
      const { itemId: resultId, outputs, expectedOutputs, scores, durationMs, traceId } = result;
      const texts = { inputs: result.inputs, outputs, expectedOutputs };
      return {
        resultId: resultId === '' ? null : resultId,
        ...{ fate: fateOf(result), ...cut(texts), durationMs, problem: problemOf(result), traceId },
        scores: scores.map((score) => ({
          ...{ evaluator: score.evaluator, name: score.name, value: score.value, label: score.label },
          reasoning: score.reasoning ?? score.error,
        })),
      };
    });
  }
  const [item] = reads.scoreItems(ref.id, [itemId]);
  if (item === undefined) return [];
  const { about, judged } = inputsShown(inputs);
  const named = (input: string | undefined) =>
    input === undefined || item.inputs === null ? null : (item.inputs[input] ?? null);
  const texts = { inputs: named(about), outputs: named(judged), expectedOutputs: null };
  return [
    {
      ...{ resultId: null, fate: elementAt(RUN_FATES, elementAt(columns.fates, at)), ...cut(texts) },
      ...{ durationMs: null, problem: item.error?.message ?? null, traceId: null },
      scores: item.scores.map((score) => ({ evaluator, ...score })),
    },
  ];
}

/** Long values are shortened to their beginning as text. */
function cut<T extends Readonly<Record<string, unknown>>>(
  values: T,
): Record<keyof T, unknown> & { isCut: boolean } {
  let isCut = false;
  const short = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? value : writeExact(value);
    if (text.length <= MAX_VALUE) return [name, value];
    isCut = true;
    return [name, text.slice(0, MAX_VALUE)];
  });
  return { ...(Object.fromEntries(short) as Record<keyof T, unknown>), isCut };
}
