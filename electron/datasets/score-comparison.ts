/**
 * Compares two score runs of one dataset item by item. The latest comparison is cached, because it is requested page by
 * page.
 */

import { Comparison, type ScorePair } from '../core/items/compare-scores.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { ScorePairRow, StoredScoreRun } from '../db/build-store.ts';
import { AppError } from '../shared/errors.ts';
import { foldReview } from '../shared/review-fold.ts';
import type { ComparedScore, ComparisonQuery, ScoreComparison } from '../shared/score-comparison.ts';
import type { ScoreValue } from '../shared/score-model.ts';
import type { DatasetsDeps } from './types.ts';

type ComparisonDeps = Pick<DatasetsDeps, 'store' | 'clock'>;

const SLICE = 200;
/** Shortened reasoning: the complete one is shown with its item. */
const REASON_CHARACTERS = 300;

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
  #kept: Kept | null = null;

  constructor(deps: ComparisonDeps) {
    this.#deps = deps;
  }

  /** Throws INVALID_ARGUMENT for runs of two datasets and for runs without a common score name. */
  async compare(query: ComparisonQuery): Promise<ScoreComparison> {
    const { show, offset, limit } = query;
    const { answer, rows } = await this.#read(query);
    const shown = show === null ? rows : rows.filter(({ change }) => change === show);
    return { ...answer, rows: shown.slice(offset, offset + limit), total: shown.length };
  }

  async #read({ before, after, name: asked, lowerIsBetter }: ComparisonQuery): Promise<Kept> {
    const { scores, scoreRuns } = this.#deps.store;
    const [first, second] = [scoreRuns.load(before), scoreRuns.load(after)];
    checkPair(first, second);
    const others = new Set(scores.scoreNames(after));
    const names = scores.scoreNames(before).filter((name) => others.has(name));
    const name = asked ?? names[0];
    if (name === undefined || !names.includes(name)) throw noSuchScore(asked, names);
    const tallies = [scores.tallies(before), scores.tallies(after)];
    const reviewed = this.#reviewsOf(first.plan.datasetId);
    const key = JSON.stringify([before, after, name, lowerIsBetter, tallies, reviewed]);
    if (this.#kept?.key === key) return this.#kept;
    const slicer = new TimeSlicer(this.#deps.clock);
    const kinds = await this.#failureKinds(reviewed, slicer);
    const comparison = new Comparison({ lowerIsBetter, kindOf: (itemId) => kinds.get(itemId) ?? null });
    for (const side of ['both', 'only-after'] as const) {
      for (let position = -1; ; ) {
        const rows = scores.pairs(before, after, side, position, SLICE);
        for (const row of rows) comparison.add(pairOf(row, name));
        position = rows.at(-1)?.position ?? position;
        if (rows.length < SLICE) break;
        await slicer.pause();
      }
    }
    const pieces = comparison.finish();
    for (;;) {
      const { done, value } = pieces.next();
      if (done === true) {
        this.#kept = { key, answer: { name, names, ...value.summary }, rows: value.rows };
        return this.#kept;
      }
      await slicer.pause();
    }
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

function pairOf({ itemId, before, after }: ScorePairRow, name: string): ScorePair {
  return { itemId, before: scoreOf(before, name), after: scoreOf(after, name) };
}

function scoreOf(scores: readonly ScoreValue[], name: string): ScoreValue | null {
  const score = scores.find((each) => each.name === name);
  if (score === undefined || (score.value === null && score.label === null)) return null;
  const { reasoning } = score;
  if (reasoning === null || reasoning.length <= REASON_CHARACTERS) return score;
  return { ...score, reasoning: `${reasoning.slice(0, REASON_CHARACTERS)}…` };
}

function checkPair(first: StoredScoreRun, second: StoredScoreRun): void {
  if (first.id !== second.id && first.plan.datasetId === second.plan.datasetId) return;
  throw new AppError(
    'INVALID_ARGUMENT',
    first.id === second.id
      ? 'Expected two score runs, got the same one twice.'
      : `Expected two score runs of one dataset, got one of ${first.plan.datasetName} and one of ${second.plan.datasetName}.`,
  );
}

function noSuchScore(asked: string | null, names: readonly string[]): AppError {
  const has =
    names.length === 0 ? 'These runs have no score of the same name.' : `Both have ${names.join(', ')}.`;
  return new AppError(
    'INVALID_ARGUMENT',
    asked === null ? has : `Expected a score that both runs have, got ${asked}. ${has}`,
  );
}
