/**
 * Compares stored runs. The columns of the latest runs stay in memory, so that another filter or page needs only its
 * own rows.
 */

import { elementAt } from '../core/element-at.ts';
import { RunsMatch } from '../core/items/compare-runs.ts';
import type { RunColumns } from '../core/items/run-columns.ts';
import { itemsWithWords } from '../core/items/run-texts.ts';
import { usageOfRuns } from '../core/items/run-usage.ts';
import type { ColumnFiles } from '../db/run-column-files.ts';
import type { RunReads } from '../db/run-reads.ts';
import { writeExact } from '../shared/exact-json.ts';
import { whole } from '../shared/pieces.ts';
import {
  type ChosenItem,
  type ComparedRun,
  type RunItem,
  type RunsComparison,
  type RunsQuery,
  runKey,
  type SpanOrigin,
} from '../shared/run-comparison.ts';
import type { RunsUsage } from '../shared/run-usage.ts';
import { resultsOf, rowsOf } from './compared-texts.ts';
import { KeptTexts } from './kept-texts.ts';
import type { RunSource } from './run-source.ts';
import { TraceUsages } from './trace-usages.ts';

export interface StoredRequest {
  sources: readonly RunSource[];
  /** Null if the dataset is unknown. Then no item has a trace. */
  datasetId: string | null;
  ask:
    | { form: 'compare'; query: Omit<RunsQuery, 'runs'> }
    | { form: 'ids'; query: Omit<RunsQuery, 'runs' | 'hasShape'> }
    | { form: 'item'; itemId: string }
    /** Reads more of the traces that the results refer to. */
    | { form: 'usage'; baseline: number }
    /** Reads the runs in advance. The answer has no content. */
    | { form: 'prepare' };
}

/** The answer of the thread, without facts that only the stores of the main thread have. */
export type StoredAnswer =
  | { form: 'compare'; answer: Omit<RunsComparison, 'runs' | 'dataset'> & { runs: RunCounts[] } }
  /** A page of the items that pass the filter, in order. */
  | { form: 'ids'; items: ChosenItem[] }
  /** JSON that keeps the digits of numbers. */
  | { form: 'item'; json: string }
  /** Null if more must be read. */
  | { form: 'usage'; usage: RunsUsage | null }
  | { form: 'prepare' };
type RunCounts = Omit<ComparedRun, 'ref' | 'name' | 'application' | 'isComplete' | 'asOfMs'>;

/** Maximum number of runs whose columns stay in memory, and of sets of runs whose pairing does. */
const MAX_RUNS = 8;
const MAX_MATCHES = 3;

/** The results of a run at the time of a request. */
interface RunNow {
  version: string;
  /** True if no further results are expected. */
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
  /** Summaries for `lowerIsBetter` true and false. */
  summaries: Map<boolean, Pick<RunsComparison, 'scores' | 'measures'>>;
  words: { key: string; items: ReadonlySet<string> } | null;
  /** Failure kind by item. */
  kinds: { version: string; names: ReadonlyMap<string, string> } | null;
  /** Null until they are needed. */
  origins: ReadonlyMap<string, SpanOrigin> | null;
}

export class StoredComparisons {
  readonly #openReads: () => RunReads;
  readonly #files: ColumnFiles | null;
  /** By run, the latest run last. */
  readonly #held = new Map<string, Held>();
  /** Compared sets of runs, the latest last. */
  #matched: Matched[] = [];
  readonly #texts = new KeptTexts();
  readonly #usages = new TraceUsages();

  /** `files`: null to keep columns in memory only. */
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
        const source = datasetId === null ? null : reads.sourceOf(datasetId, ask.itemId);
        const sides = sources.map((source, run) =>
          resultsOf(reads, source, elementAt(columns, run), ask.itemId),
        );
        return { form: 'item', json: writeExact({ sides, source } satisfies RunItem) };
      }
      if (ask.form === 'usage') {
        const { baseline } = ask;
        const matched = this.#match(reads, { sources, now, columns, baseline, datasetId });
        return {
          form: 'usage',
          usage: this.#usage(reads, matched.match, { sources, now, columns, baseline }),
        };
      }
      const { baseline, score: asked, lowerIsBetter, filter, offset, limit } = ask.query;
      const matched = this.#match(reads, { sources, now, columns, baseline, datasetId });
      const { match } = matched;
      const score = asked !== null && match.keys.includes(asked) ? asked : (match.keys[0] ?? null);
      const isSearched = filter.words.trim() !== '';
      this.#texts.want(
        sources.flatMap((source, run) => {
          const { version, isComplete } = elementAt(now, run);
          // Each new score of a run in progress makes a new version, so its texts are not kept.
          return isComplete || isSearched ? [{ source, version }] : [];
        }),
      );
      const withWords = isSearched
        ? this.#withWords(reads, matched, sources, now, filter.words.trim())
        : null;
      const kinds = kindsOf(reads, matched, datasetId);
      const chosen = match.choose({ score, lowerIsBetter, filter, withWords, kinds });
      if (ask.form === 'ids') {
        // A draft can be removed between two requests. It cannot between two pages, so only the first page reads it.
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
        unscored: chosen.unscored,
        shape:
          ask.query.hasShape && score !== null
            ? match.shape(score, lowerIsBetter, filter.run, { kinds, isOfSameTexts: isOfSameTexts(sources) })
            : null,
        rows: rowsOf(
          {
            ...{ reads, sources, columns, match, score, lowerIsBetter, baseline, kinds },
            usageOf: (run, place) => this.#usages.ofItem(elementAt(columns, run), place, 'any'),
          },
          shown,
        ),
        total: chosen.rows.length,
        items: match.itemIds.length,
      };
      return { form: 'compare', answer };
    } finally {
      reads.close();
    }
  }

  /** Reads more of the texts that a word search needs. Throws SQLite errors and STORE_DAMAGED. */
  readAhead(): void {
    if (!this.#texts.isWanting) return;
    const reads = this.#openReads();
    try {
      this.#texts.step(({ ref, generationId }, from, limit) =>
        ref.kind === 'scores'
          ? reads.scoreTexts(ref.id, from, limit)
          : reads.resultTexts(generationId, from, limit),
      );
    } finally {
      reads.close();
    }
  }

  /** True if more texts are to be read in advance. */
  get isReadingAhead(): boolean {
    return this.#texts.isWanting;
  }

  #usage(
    reads: RunReads,
    match: RunsMatch,
    { sources, now, columns, baseline }: Omit<MatchParts, 'datasetId'>,
  ): RunsUsage | null {
    // The key does not include the baseline and the order of the runs, because the traces depend only on the results.
    const key = JSON.stringify(
      sources.map(({ ref }, run) => `${runKey(ref)} ${now[run]?.version}`).toSorted(),
    );
    const wanted = () => new Set(columns.flatMap(({ traces }) => [...traces.values()].flat()));
    if (columns.some(({ traces }) => traces.size > 0) && !this.#usages.step(reads, key, wanted)) return null;
    return usageOfRuns(columns, {
      ...{ baseline, items: match.itemIds.length, traceOf: (traceId) => this.#usages.traceOf(traceId) },
      ...{ placeOf: (run, item) => match.placeOf(run, item) },
      totalOf: (run) => elementAt(sources, run).total,
      usageOf: (run, place) => this.#usages.ofItem(elementAt(columns, run), place, 'latest'),
    });
  }

  #withWords(
    reads: RunReads,
    matched: Matched,
    sources: readonly RunSource[],
    now: readonly RunNow[],
    words: string,
  ): ReadonlySet<string> {
    if (matched.words?.key === words) return matched.words.items;
    const items = new Set<string>();
    for (const [run, source] of sources.entries()) {
      const { parts, next } = this.#texts.of(source, elementAt(now, run).version);
      for (const itemId of itemsWithWords(parts, words)) items.add(itemId);
      if (next === null) continue;
      for (const itemId of storedWith(reads, source, words, next)) items.add(itemId);
    }
    matched.words = { key: words, items };
    return items;
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
    // Failed items of a finished run become unscored before it runs again, so such columns are not final.
    if (isComplete && columns.results.unscored === 0) this.#files?.save(key, version, columns);
    return columns;
  }

  #match(reads: RunReads, { sources, now, columns, baseline, datasetId }: MatchParts): Matched {
    const runs = sources.map(({ ref }, run) => [ref, now[run]?.version]);
    const tracesVersion = datasetId === null ? '' : reads.tracesVersion(datasetId);
    const key = JSON.stringify([runs, baseline, datasetId, tracesVersion]);
    const known = this.#matched.find((each) => each.key === key);
    if (known !== undefined) {
      this.#matched = [...this.#matched.filter((each) => each !== known), known];
      return known;
    }
    const traces = datasetId === null ? new Map<string, string>() : reads.tracesOf(datasetId);
    const clusterOf = traces.size === 0 ? null : (itemId: string) => traces.get(itemId) ?? null;
    const match = new RunsMatch(columns, { baseline, clusterOf });
    const found: Matched = {
      ...{ key, match, traces, summaries: new Map() },
      ...{ words: null, kinds: null, origins: null },
    };
    this.#matched = [...this.#matched, found].slice(-MAX_MATCHES);
    return found;
  }
}

interface MatchParts {
  sources: readonly RunSource[];
  /** By index of the run, like `columns`. */
  now: readonly RunNow[];
  columns: readonly RunColumns[];
  baseline: number;
  datasetId: string | null;
}

/** A score run can change between the request and the reading of its items, so its version is read with them. */
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

function kindsOf(reads: RunReads, matched: Matched, datasetId: string | null): ReadonlyMap<string, string> {
  const version = datasetId === null ? '' : reads.failureKindsVersion(datasetId);
  if (matched.kinds?.version === version) return matched.kinds.names;
  const names = datasetId === null ? new Map<string, string>() : reads.failureKindsOf(datasetId);
  matched.kinds = { version, names };
  return names;
}

/**
 * True for score runs that judged the same fields of the items, or of the results of one experiment. The order of the
 * fields does not matter.
 */
function isOfSameTexts(sources: readonly RunSource[]): boolean {
  const fields = sources.map(({ inputs, checkedExperimentId }) =>
    [
      checkedExperimentId ?? '',
      ...inputs
        .flatMap(({ from }) => (from.kind === 'field' ? [JSON.stringify([from.bucket, from.field])] : []))
        .sort(),
    ].join(),
  );
  return sources.every(({ ref }) => ref.kind === 'scores') && new Set(fields).size === 1;
}

/** Searches the words in the store from a position on, by reading every row. */
const storedWith = (
  reads: RunReads,
  { ref, generationId }: RunSource,
  words: string,
  from: number,
): Set<string> =>
  ref.kind === 'scores'
    ? reads.scoreItemsWith(ref.id, words, from)
    : reads.resultsWith(generationId, words, from);
