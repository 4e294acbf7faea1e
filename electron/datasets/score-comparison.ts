/**
 * Compares two score runs of one dataset item by item. The latest comparison is cached, because it is requested page by
 * page.
 */

import {
  ComparedNames,
  Comparison,
  isSelected,
  isShown,
  type ScorePair,
} from '../core/items/compare-scores.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { ScorePairRow, StoredScoreRun } from '../db/build-store.ts';
import { AppError } from '../shared/errors.ts';
import type { Pieces } from '../shared/pieces.ts';
import { foldReview } from '../shared/review-fold.ts';
import type {
  ComparedScore,
  ComparisonQuery,
  ScoreComparison,
  ScoreDetail,
  ShownScore,
} from '../shared/score-comparison.ts';
import type { ScoreRun, ScoreValue } from '../shared/score-model.ts';
import { tracesOf } from './item-traces.ts';
import type { DatasetsDeps } from './types.ts';

type ComparisonDeps = Pick<DatasetsDeps, 'store' | 'clock'> & {
  /** Counts and names are in memory: counting the items in the store takes long for many. Throws NOT_FOUND. */
  runOf: (runId: string) => Pick<ScoreRun, 'counts' | 'scoreNames'>;
};

const SLICE = 200;
/** Shortened reasoning: the complete one is shown with its item. */
const REASON_CHARACTERS = 300;

/** Characters of the texts beside a score in a list, and of a value shown with its item. */
const MAX_TITLE = 200;
const MAX_VALUE = 20_000;
/** Summaries of the runs in a list; the rows of the latest two are cached. */
const MAX_SUMMARIES = 50;
const MAX_ROWS = 2;

interface Kept {
  key: string;
  answer: Omit<ScoreComparison, 'rows' | 'total'>;
  rows: readonly ComparedScore[];
}

interface Reviewed {
  /** Id of the build. */
  id: string;
  events: number;
}

export class ScoreComparisons {
  readonly #deps: ComparisonDeps;
  /** By key, the latest last. */
  readonly #kept = new Map<string, Kept>();
  readonly #summaries = new Map<string, Kept['answer']>();

  constructor(deps: ComparisonDeps) {
    this.#deps = deps;
  }

  /** Throws INVALID_ARGUMENT for runs of two datasets and for runs without a common score name. */
  async compare(query: ComparisonQuery): Promise<ScoreComparison> {
    const { show, only, offset, limit, before, after } = query;
    const { answer, rows } = await this.#read(query);
    const shown =
      show === null && only === null
        ? rows
        : rows.filter((row) => isShown(row, show) && isSelected(row, only, before === null));
    return {
      ...answer,
      rows: this.#described(after, shown.slice(offset, offset + limit)),
      total: shown.length,
    };
  }

  /** The inputs and the result of an item in a run; null if the run does not contain it. */
  detail(runId: string, itemId: string): ScoreDetail | null {
    const { scores, scoreRuns } = this.#deps.store;
    const { plan } = scoreRuns.load(runId);
    const [item] = scores.itemsOf(runId, [itemId]);
    if (item === undefined) return null;
    const { inputs, state, scores: given, error, atMs } = item;
    return {
      result: { itemId, runId, evaluator: plan.evaluator, state, scores: given, error, atMs },
      inputs:
        inputs === null
          ? null
          : plan.inputs.map(({ input, from }) => {
              const value = inputs[input] ?? null;
              const text = typeof value === 'string' ? value : JSON.stringify(value);
              const isCut = text.length > MAX_VALUE;
              return { input, from, value: isCut ? text.slice(0, MAX_VALUE) : value, isCut };
            }),
    };
  }

  /** Rows with the beginnings of their texts, which are read for this page only. */
  #described(runId: string, rows: readonly ComparedScore[]): ShownScore[] {
    if (rows.length === 0) return [];
    const { scores, scoreRuns } = this.#deps.store;
    const fields = scoreRuns.load(runId).plan.inputs.filter(({ from }) => from.kind === 'field');
    const about = fields.find(({ from }) => from.kind === 'field' && from.bucket === 'inputs') ?? fields[0];
    const judged = fields.findLast(({ from }) => from.kind === 'field' && from.bucket !== 'inputs');
    const ids = rows.map(({ itemId }) => itemId);
    const items = new Map(scores.itemsOf(runId, ids).map((item) => [item.itemId, item]));
    return rows.map((row) => {
      const item = items.get(row.itemId);
      const beginning = (input: typeof about) =>
        input === undefined ? null : beginningOf(item?.inputs?.[input.input]);
      return {
        ...row,
        title: beginning(about),
        judged: judged === about ? null : beginning(judged),
        problem: item?.error?.message ?? null,
      };
    });
  }

  async #read(query: ComparisonQuery): Promise<Kept> {
    const { before, after, name: asked, lowerIsBetter, limit } = query;
    const { scores, scoreRuns } = this.#deps.store;
    const runs = [...(before === null ? [] : [scoreRuns.load(before)]), scoreRuns.load(after)];
    const [first] = runs;
    checkPair(runs);
    const own = this.#deps.runOf(after).scoreNames;
    const others = before === null ? null : new Set(own);
    const names =
      others === null || before === null
        ? own
        : this.#deps.runOf(before).scoreNames.filter((each) => others.has(each));
    const name = asked ?? names[0] ?? (before === null ? '' : undefined);
    if (name === undefined || (name !== '' && !names.includes(name)))
      throw noSuchScore(asked, names, before === null);
    const tallies = runs.map(({ id }) => this.#deps.runOf(id).counts);
    const reviewed = first === undefined ? [] : this.#reviewsOf(first.plan.datasetId);
    const key = JSON.stringify([before, after, name, lowerIsBetter, tallies, reviewed]);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const summary = this.#summaries.get(key);
    if (limit === 0 && summary !== undefined) return { key, answer: summary, rows: [] };
    const slicer = new TimeSlicer(this.#deps.clock);
    const kinds = await this.#failureKinds(reviewed, slicer);
    const isSingle = before === null;
    const kindOf = (itemId: string) => kinds.get(itemId) ?? null;
    const traces = await tracesOf(this.#deps.store, this.#deps.clock, first?.plan.datasetId ?? null);
    const clusterOf = (itemId: string) => traces.get(itemId) ?? null;
    const isOfSameTexts = !isSingle && new Set(runs.map(judgedFields)).size === 1;
    const comparison = new Comparison({ lowerIsBetter, kindOf, isSingle, isOfSameTexts, clusterOf });
    const all = new ComparedNames(isSingle || names.length < 2 ? [] : names, {
      ...{ lowerIsBetter, isSingle, clusterOf },
    });
    // Without a further item of the later run, a search for one would read all of them.
    let left = this.#deps.runOf(after).counts.items;
    for (const side of isSingle ? (['only-after'] as const) : (['both', 'only-after'] as const)) {
      for (let position = -1; side === 'both' || left > 0; ) {
        const rows = scores.pairs(before ?? '', after, side, position, SLICE);
        for (const row of rows) {
          comparison.add(pairOf(row, name));
          all.add(row.itemId, row.before, row.after);
          if (row.afterState !== null) left -= 1;
        }
        position = rows.at(-1)?.position ?? position;
        if (rows.length < SLICE) break;
        await slicer.pause();
      }
    }
    const { summary: described, rows } = await inTurns(comparison.finish(), slicer);
    const answer = { name, names, ...described, all: await inTurns(all.finish(), slicer) };
    keep(this.#summaries, key, answer, MAX_SUMMARIES);
    const made = { key, answer, rows };
    if (limit > 0) keep(this.#kept, key, made, MAX_ROWS);
    return made;
  }

  /** The builds that created the items: each with its number of review events, which only increases. */
  #reviewsOf(datasetId: string): Reviewed[] {
    const { builds, reviews } = this.#deps.store;
    return builds
      .list()
      .filter((build) => build.datasetId === datasetId)
      .map(({ id }) => ({ id, events: reviews.count(id) }))
      .filter(({ events }) => events > 0);
  }

  async #failureKinds(
    reviewed: readonly Reviewed[],
    slicer: TimeSlicer,
  ): Promise<ReadonlyMap<string, string>> {
    const { reviews, spans } = this.#deps.store;
    const kinds = new Map<string, string>();
    for (const build of reviewed) {
      const review = foldReview(reviews.events(build.id, 0, build.events));
      const names = new Map(review.kinds.map(({ kindId, name }) => [kindId, name]));
      for (const [position, { kindId }] of review.marks) {
        const name = kindId === null ? undefined : names.get(kindId);
        const itemId = name === undefined ? null : (spans.at(build.id, position)?.itemId ?? null);
        if (name !== undefined && itemId !== null) kinds.set(itemId, name);
        await slicer.pause();
      }
    }
    return kinds;
  }
}

async function inTurns<T>(pieces: Pieces<T>, slicer: TimeSlicer): Promise<T> {
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
    await slicer.pause();
  }
}

function keep<T>(cache: Map<string, T>, key: string, value: T, most: number): void {
  cache.delete(key);
  cache.set(key, value);
  for (const oldest of [...cache.keys()].slice(0, -most)) cache.delete(oldest);
}

/** The beginning of a value on one line; null if there is none. */
function beginningOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value.slice(0, MAX_TITLE * 4) : JSON.stringify(value);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE)}…` : line;
}

function pairOf({ itemId, before, after, beforeState, afterState }: ScorePairRow, name: string): ScorePair {
  const states = { before: beforeState, after: afterState };
  return { itemId, before: scoreOf(before, name), after: scoreOf(after, name), states };
}

function scoreOf(scores: readonly ScoreValue[], name: string): ScoreValue | null {
  const score = scores.find((each) => each.name === name);
  if (score === undefined || (score.value === null && score.label === null)) return null;
  const { reasoning } = score;
  if (reasoning === null || reasoning.length <= REASON_CHARACTERS) return score;
  return { ...score, reasoning: `${reasoning.slice(0, REASON_CHARACTERS)}…` };
}

/** The fields that a run reads, in any order. */
const judgedFields = ({ plan }: StoredScoreRun): string =>
  plan.inputs
    .flatMap(({ from }) => (from.kind === 'field' ? [JSON.stringify([from.bucket, from.field])] : []))
    .sort()
    .join();

function checkPair([first, second]: readonly StoredScoreRun[]): void {
  if (first === undefined || second === undefined) return;
  if (first.id !== second.id && first.plan.datasetId === second.plan.datasetId) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    first.id === second.id
      ? 'Expected two score runs, got the same one twice.'
      : `Expected two score runs of one dataset, got one of ${first.plan.datasetName} and one of ${second.plan.datasetName}.`,
  );
}

function noSuchScore(asked: string | null, names: readonly string[], isSingle: boolean): AppError {
  const list = names.join(', ');
  if (isSingle) {
    const has = names.length === 0 ? 'It has no scores yet.' : `It has ${list}.`;
    return new AppError('INVALID_ARGUMENT', `Expected a score of the run, got ${asked ?? 'none'}. ${has}`);
  }
  const has = names.length === 0 ? 'These runs have no score of the same name.' : `Both have ${list}.`;
  return new AppError(
    'INVALID_ARGUMENT',
    asked === null ? has : `Expected a score that both runs have, got ${asked}. ${has}`,
  );
}
