/** Compares runs over one dataset item by item with one of the runs, the baseline. Pure. */
import { HUMAN, HUMAN_SCORE } from '../../shared/judged-share.ts';
import type { Pieces } from '../../shared/pieces.ts';
import type { ComparedFigures, ComparedSeries, RunFilter, ScoreShape } from '../../shared/run-comparison.ts';
import {
  type ChangeCounts,
  SCORE_CHANGES,
  type ScoreChange,
  type ScoreFigures,
} from '../../shared/score-comparison.ts';
import { elementAt } from '../element-at.ts';
import { adjusted } from '../statistics/false-discovery.ts';
import { orderOf, roundedSize, worstFirst } from './change-order.ts';
import { judgedShareOf } from './judged-share.ts';
import { deviationIn, repetitionsIn } from './repeated-results.ts';
import { type NumberColumn, RUN_FATES, type RunColumns, type ScoreColumn } from './run-columns.ts';
import { passes } from './run-filter.ts';
import { inOrder, isInOrder, labelAt, labelOf, type Ordered, placesOf, valueAt } from './run-places.ts';
import { Figures } from './score-figures.ts';
import { type ShapeParts, shapeOf } from './score-shape.ts';

/**
 * The code of a change is its index in SCORE_CHANGES. This further code means that the run is the baseline or that no
 * score is shown.
 */
const NO_CHANGE = SCORE_CHANGES.length;
const [WORSE, BETTER, CHANGED, SAME, MISSING] = SCORE_CHANGES.map((_, code) => code) as [
  ...[number, number, number, number, number],
];

interface Rules {
  /** Index of the baseline among the runs. */
  baseline: number;
  /** Returns the trace of an item, or null if it is unknown. Null if no trace is known. */
  clusterOf: ((itemId: string) => string | null) | null;
}

/** A score under its key, with its column in each run; null for a run without the score. */
interface Series {
  key: string;
  name: string;
  evaluators: string[];
  columns: (ScoreColumn | null)[];
}

/** The change codes of one score, by run and item. In the baseline no item has a change. */
interface Changes {
  runs: Uint8Array[];
  /** For each item, the codes of all runs as a bit set. */
  items: Uint8Array;
}

/** The filter and order of the displayed rows. */
interface RowRules {
  score: string | null;
  lowerIsBetter: boolean;
  filter: RunFilter;
  /** Items with the filter's words in an output; null if the filter has no words. */
  withWords: ReadonlySet<string> | null;
  /** Failure kind by item. */
  kinds?: ReadonlyMap<string, string>;
}

type ShapeRules = Pick<ShapeParts, 'isOfSameTexts' | 'kinds'>;

interface ChosenItems {
  /** Indices in `itemIds`. */
  rows: Int32Array;
  counts: ChangeCounts;
  failed: number;
  skipped: number;
  unscored: number;
}

export class RunsMatch {
  readonly #runs: readonly RunColumns[];
  readonly #rules: Rules;
  /** The items of the baseline, then those that only other runs have. */
  readonly itemIds: readonly string[];
  /** For each run, the index of each item in it; −1 if the run does not have the item. */
  readonly #places: readonly Int32Array[];
  readonly #series: readonly Series[];
  /** Number of items by fate, which does not depend on the filter. */
  readonly #fateCounts = new Map<string, number>();
  /** True for a run that has all items in the order of `itemIds`. */
  readonly #isInOrder: readonly boolean[];
  readonly #columnsInOrder = new Map<NumberColumn, Ordered>();
  /**
   * The changes and the order computed last. They are cached because they take long for many items and stay the same
   * when the filter changes.
   */
  #changed: { key: string; changes: Changes } | null = null;
  #ordered: { key: string; order: Int32Array } | null = null;

  constructor(runs: readonly RunColumns[], rules: Rules) {
    this.#runs = runs;
    this.#rules = rules;
    const { itemIds, places } = placesOf(runs, rules.baseline);
    this.itemIds = itemIds;
    this.#places = places;
    this.#isInOrder = places.map(
      (own, run) => isInOrder(own) && own.length === elementAt(runs, run).itemIds.length,
    );
    this.#series = seriesOf(runs);
  }

  get keys(): string[] {
    return this.#series.map(({ key }) => key);
  }

  /** Index of an item in a run; −1 if the run does not have it. */
  placeOf(run: number, item: number): number {
    return elementAt(elementAt(this.#places, run), item);
  }

  /** Number of items in both the run and the baseline, only in the run, and only in the baseline. */
  overlap(run: number): { shared: number; onlyHere: number; onlyBaseline: number } {
    const overlap = { shared: 0, onlyHere: 0, onlyBaseline: 0 };
    if (run === this.#rules.baseline) return overlap;
    const [own, other] = [elementAt(this.#places, run), elementAt(this.#places, this.#rules.baseline)];
    for (let item = 0; item < own.length; item += 1) {
      const isHere = elementAt(own, item) >= 0;
      const isThere = elementAt(other, item) >= 0;
      if (isHere && isThere) overlap.shared += 1;
      else if (isHere) overlap.onlyHere += 1;
      else if (isThere) overlap.onlyBaseline += 1;
    }
    return overlap;
  }

  labelsOf(key: string): string[] {
    const columns = this.#columnsOf(key);
    return [...new Set(columns.flatMap((column) => column?.labelNames ?? []))].sort();
  }

  /** The evaluator and name of a score in a run; null if the run does not have it. */
  sourceOf(key: string, run: number): Pick<ScoreColumn, 'evaluator' | 'name'> | null {
    return this.#columnsOf(key)[run] ?? null;
  }

  /** The score of an item in a run. */
  scoreAt(key: string, run: number, item: number): { value: number | null; label: string | null } {
    const columns = this.#columnsOf(key);
    return { value: this.#valueIn(columns, run, item), label: this.#labelIn(columns, run, item) };
  }

  /** Standard deviation of an item's numbers in a run; null if it has fewer than two. */
  deviationAt(key: string, run: number, item: number): number | null {
    const column = this.#columnsOf(key)[run] ?? null;
    return column === null ? null : deviationIn(column, this.placeOf(run, item));
  }

  /** How many of an item's results in a run have a number. */
  numbersAt(key: string, run: number, item: number): number {
    const column = this.#columnsOf(key)[run] ?? null;
    const place = this.placeOf(run, item);
    if (column === null || place < 0) return 0;
    return column.several.get(place)?.length ?? Number(!Number.isNaN(elementAt(column.values, place)));
  }

  changeAt(key: string, lowerIsBetter: boolean, run: number, item: number): ScoreChange | null {
    const { runs } = this.#changesFor(key, lowerIsBetter);
    return SCORE_CHANGES[elementAt(elementAt(runs, run), item)] ?? null;
  }

  /** The comparison of every score. Probabilities are adjusted for the number of scores compared. */
  *scores(lowerIsBetter: boolean): Pieces<ComparedSeries[]> {
    const found: ComparedSeries[] = [];
    for (const { key, name, evaluators, columns } of this.#series) {
      const evaluatorOf = columns.map((column) => column?.evaluator ?? null);
      const runs = yield* this.#compared(columns, lowerIsBetter);
      found.push({ key, name, evaluators, evaluatorOf, runs });
    }
    const tested = found.flatMap(({ runs }) =>
      runs.flatMap((run) =>
        run?.figures?.difference == null ? [] : [{ run, probability: run.figures.difference.probability }],
      ),
    );
    const corrected = adjusted(tested.map(({ probability }) => probability));
    for (const [at, { run }] of tested.entries()) run.adjusted = elementAt(corrected, at);
    return found;
  }

  /** The comparison of durations, and of numbers that occur in the outputs of all runs. */
  *measures(): Pieces<ComparedSeries[]> {
    const paths = new Set(this.#runs.flatMap(({ measures }) => [...measures.keys()]));
    const shared = [...paths]
      .map((path) => [path, this.#runs.flatMap(({ measures }) => measures.get(path) ?? [])] as const)
      .filter(([, columns]) => columns.length === this.#runs.length);
    const found: ComparedSeries[] = [];
    for (const [name, columns] of [
      ['duration_ms', this.#runs.map(({ durations }) => durations)] as const,
      ...shared,
    ]) {
      const runs = yield* this.#compared(columns, true);
      if (runs.some((run) => run?.figures != null))
        found.push({ key: name, name, evaluators: [], evaluatorOf: runs.map(() => null), runs });
    }
    return found;
  }

  *#compared(
    columns: readonly (NumberColumn | ScoreColumn | null)[],
    lowerIsBetter: boolean,
  ): Pieces<ComparedSeries['runs']> {
    const found: ComparedSeries['runs'] = [];
    const { baseline } = this.#rules;
    const before = columns[baseline] ?? null;
    for (const [run, column] of columns.entries()) {
      if (column === null) {
        found.push(null);
        continue;
      }
      const isSingle = run === baseline || before === null;
      const own: ComparedFigures = {
        figures: yield* this.#figures(run, isSingle ? null : before, column, lowerIsBetter),
        adjusted: null,
        counts: run === baseline ? noChanges() : this.#countsOf(run, before, column, lowerIsBetter),
      };
      found.push(own);
    }
    return found;
  }

  *#figures(
    run: number,
    before: NumberColumn | ScoreColumn | null,
    after: NumberColumn | ScoreColumn,
    lowerIsBetter: boolean,
  ): Pieces<ScoreFigures | null> {
    const { clusterOf, baseline } = this.#rules;
    if (!hasNumbers(after) || (before !== null && !hasNumbers(before))) return null;
    const rules = { lowerIsBetter, isSingle: before === null, clusterOf };
    const figures = new Figures(rules, this.itemIds.length);
    const earlier = before === null ? null : this.#inOrder(baseline, before);
    yield* figures.addAll(this.itemIds, earlier, this.#inOrder(run, after));
    return yield* figures.finish();
  }

  #countsOf(
    run: number,
    before: NumberColumn | ScoreColumn | null,
    after: NumberColumn | ScoreColumn,
    lowerIsBetter: boolean,
  ): ChangeCounts {
    const codes = this.#changesOf(run, before, after, lowerIsBetter);
    return countsOf(codes);
  }

  #changesOf(
    run: number,
    before: NumberColumn | ScoreColumn | null,
    after: NumberColumn | ScoreColumn | null,
    lowerIsBetter: boolean,
  ): Uint8Array {
    const [other, own] = [this.#inOrder(this.#rules.baseline, before), this.#inOrder(run, after)];
    const codes = new Uint8Array(this.itemIds.length);
    for (let item = 0; item < codes.length; item += 1) {
      // Reads the arrays directly, which is several times faster than `elementAt`.
      const [earlier, later] = [other.values[item] ?? Number.NaN, own.values[item] ?? Number.NaN];
      codes[item] =
        Number.isNaN(earlier) || Number.isNaN(later)
          ? codeWithoutNumbers(earlier, labelOf(other, item), later, labelOf(own, item))
          : earlier === later
            ? SAME
            : later > earlier === lowerIsBetter
              ? WORSE
              : BETTER;
    }
    return codes;
  }

  #inOrder(run: number, column: NumberColumn | ScoreColumn | null): Ordered {
    const known = column === null ? undefined : this.#columnsInOrder.get(column);
    if (known !== undefined) return known;
    const ordered = inOrder(column, elementAt(this.#places, run), elementAt(this.#isInOrder, run));
    if (column !== null) this.#columnsInOrder.set(column, ordered);
    return ordered;
  }

  /** The columns of the score; empty if no score is shown. */
  #columnsOf(score: string | null): Series['columns'] {
    return this.#series.find(({ key }) => key === score)?.columns ?? [];
  }

  #valueIn(columns: Series['columns'], run: number, item: number): number | null {
    return valueAt(columns[run] ?? null, this.placeOf(run, item));
  }

  #labelIn(columns: Series['columns'], run: number, item: number): string | null {
    return labelAt(columns[run] ?? null, this.placeOf(run, item));
  }

  #changesFor(score: string | null, lowerIsBetter: boolean): Changes {
    const key = JSON.stringify([score, lowerIsBetter]);
    if (this.#changed?.key === key) return this.#changed.changes;
    const changes = this.#changes(this.#columnsOf(score), lowerIsBetter);
    this.#changed = { key, changes };
    return changes;
  }

  /**
   * The order of all items: those with the wanted change first, then the worst first. If `run` is null, the changes in
   * all runs except the baseline count.
   */
  #order(score: string | null, lowerIsBetter: boolean, run: number | null, wanted: number | null) {
    const key = JSON.stringify([score, lowerIsBetter, run, wanted]);
    if (this.#ordered?.key === key) return this.#ordered.order;
    const changes = this.#changesFor(score, lowerIsBetter);
    const columns = this.#columnsOf(score);
    const { baseline } = this.#rules;
    const values = this.#runs.map((_, at) => this.#inOrder(at, columns[at] ?? null).values);
    if (values.length === 1) {
      const order = worstFirst(elementAt(values, 0), lowerIsBetter);
      this.#ordered = { key, order };
      return order;
    }
    const others = this.#runs.flatMap((_, at) => (at === baseline || (run !== null && at !== run) ? [] : at));
    const size = this.itemIds.length;
    const sizes = new Float64Array(size);
    const shown = new Uint8Array(size);
    const codeIn = (at: number, item: number) => elementAt(elementAt(changes.runs, at), item);
    for (let item = 0; item < size; item += 1) {
      const all = elementAt(changes.items, item);
      const code =
        run !== null ? codeIn(run, item) : wanted !== null && hasCode(all, wanted) ? wanted : leastCode(all);
      shown[item] = code;
      const earlier = elementAt(elementAt(values, baseline), item);
      for (const other of others) {
        if (codeIn(other, item) !== code) continue;
        const difference = elementAt(elementAt(values, other), item) - earlier;
        if (!Number.isNaN(difference))
          sizes[item] = Math.max(elementAt(sizes, item), roundedSize(difference));
      }
    }
    const order = orderOf(shown, sizes);
    this.#ordered = { key, order };
    return order;
  }

  #changes(columns: Series['columns'], lowerIsBetter: boolean): Changes {
    const { baseline } = this.#rules;
    const before = columns[baseline] ?? null;
    const runs = this.#runs.map((_, run) =>
      run === baseline || columns.length === 0
        ? new Uint8Array(this.itemIds.length).fill(NO_CHANGE)
        : this.#changesOf(run, before, columns[run] ?? null, lowerIsBetter),
    );
    const items = new Uint8Array(this.itemIds.length);
    for (const codes of runs)
      for (let item = 0; item < items.length; item += 1)
        items[item] = elementAt(items, item) | (1 << elementAt(codes, item));
    return { runs, items };
  }

  /** The items that pass the filter, the worst change first; for a single run, the worst number first. */
  choose({ score, lowerIsBetter, filter, withWords, kinds = new Map() }: RowRules): ChosenItems {
    const { baseline } = this.#rules;
    const wanted = filter.change === null ? null : SCORE_CHANGES.indexOf(filter.change);
    const own = filter.run === baseline ? null : filter.run;
    const changes = this.#changesFor(score, lowerIsBetter);
    const columns = this.#columnsOf(score);
    const isIn = passes({
      ...{ filter, baseline, itemIds: this.itemIds, withWords, kinds },
      scores: this.#runs.map((_, run) => this.#inOrder(run, columns[run] ?? null)),
      isChanged: (run, item, code) =>
        run === baseline
          ? hasCode(elementAt(changes.items, item), code)
          : elementAt(elementAt(changes.runs, run), item) === code,
      fateAt: (run, item) => this.#fateAt(run, item),
    });
    const order = this.#order(score, lowerIsBetter, own, own === null ? wanted : null);
    return {
      rows: order.filter(isIn),
      counts: countsOfRun(changes, own),
      failed: this.#countFate('failed'),
      skipped: this.#countFate('skipped'),
      unscored: this.#countFate('unscored'),
    };
  }

  /**
   * The distribution of the score in a run compared with the baseline, or in the only run. If `run` is null, the first
   * run other than the baseline is used.
   */
  shape(score: string, lowerIsBetter: boolean, run: number | null, rules: ShapeRules): ScoreShape {
    const { baseline } = this.#rules;
    const columns = this.#columnsOf(score);
    const after = run ?? (this.#runs.length === 1 ? 0 : baseline === 0 ? 1 : 0);
    const isSingle = after === baseline;
    const shape = shapeOf({
      before: isSingle ? null : this.#inOrder(baseline, columns[baseline] ?? null),
      after: this.#inOrder(after, columns[after] ?? null),
      codes: elementAt(this.#changesFor(score, lowerIsBetter).runs, after),
      itemIds: this.itemIds,
      isOfSameTexts: rules.isOfSameTexts && !isSingle,
      kinds: rules.kinds,
    });
    return {
      ...shape,
      judged: this.#judged(columns, lowerIsBetter),
      repetitions: columns.flatMap((column, at) => {
        const repetitions = column === null ? null : repetitionsIn(column);
        return repetitions === null ? [] : [{ run: at, repetitions }];
      }),
    };
  }

  /** Compares the score with people's decisions, for each run in which people decided on some of the same items. */
  #judged(columns: Series['columns'], lowerIsBetter: boolean): ScoreShape['judged'] {
    return this.#runs.flatMap(({ scores }, run) => {
      const judge = columns[run] ?? null;
      const person = scores.find(({ evaluator, name }) => evaluator === HUMAN && name === HUMAN_SCORE);
      if (judge === null || person === undefined || judge.evaluator === HUMAN) return [];
      const share = judgedShareOf(this.#inOrder(run, judge), this.#inOrder(run, person), lowerIsBetter);
      return share === null ? [] : [{ run, share }];
    });
  }

  #fateAt(run: number, item: number): number {
    const place = this.placeOf(run, item);
    return place < 0 ? -1 : elementAt(elementAt(this.#runs, run).fates, place);
  }

  #countFate(fate: (typeof RUN_FATES)[number]): number {
    const known = this.#fateCounts.get(fate);
    if (known !== undefined) return known;
    const code = RUN_FATES.indexOf(fate);
    let count = 0;
    for (let item = 0; item < this.itemIds.length; item += 1)
      if (this.#runs.some((_, run) => this.#fateAt(run, item) === code)) count += 1;
    this.#fateCounts.set(fate, count);
    return count;
  }
}

const noChanges = (): ChangeCounts => ({ worse: 0, better: 0, changed: 0, same: 0, missing: 0 });

/**
 * Number of items by change in one run. If `run` is null, in any run; an item with different changes counts under each
 * of them.
 */
function countsOfRun({ runs, items }: Changes, run: number | null): ChangeCounts {
  if (run !== null) return countsOf(elementAt(runs, run));
  const counts = noChanges();
  const sums = new Int32Array(2 ** (SCORE_CHANGES.length + 1));
  for (const codes of items) sums[codes] = elementAt(sums, codes) + 1;
  for (const [codes, sum] of sums.entries())
    for (const [code, change] of SCORE_CHANGES.entries()) if (hasCode(codes, code)) counts[change] += sum;
  return counts;
}

const hasCode = (codes: number, code: number): boolean => (codes & (1 << code)) !== 0;
/** The lowest code in a bit set, which must not be empty. */
const leastCode = (codes: number): number => 31 - Math.clz32(codes & -codes);

function countsOf(codes: Uint8Array): ChangeCounts {
  const counts = noChanges();
  const sums = new Int32Array(SCORE_CHANGES.length + 1);
  for (const code of codes) sums[code] = elementAt(sums, code) + 1;
  for (const [code, change] of SCORE_CHANGES.entries()) counts[change] = elementAt(sums, code);
  return counts;
}

const hasNumbers = ({ values }: NumberColumn): boolean => values.some((value) => !Number.isNaN(value));

/** The change of an item that has no number in at least one of the two runs. */
function codeWithoutNumbers(
  earlier: number,
  one: string | null,
  later: number,
  other: string | null,
): number {
  const [hasEarlier, hasLater] = [!Number.isNaN(earlier), !Number.isNaN(later)];
  const [isBefore, isAfter] = [hasEarlier || one !== null, hasLater || other !== null];
  if (!isBefore || !isAfter) return MISSING;
  if (hasEarlier || hasLater) return CHANGED;
  return one === other ? SAME : CHANGED;
}

/** Groups scores of the same name into one series, unless a run has several evaluators with that name. */
function seriesOf(runs: readonly RunColumns[]): Series[] {
  const shared = new Set<string>();
  for (const { scores } of runs)
    for (const [name, own] of Map.groupBy(scores, (score) => score.name))
      if (own.length > 1) shared.add(name);
  const found = new Map<string, Series>();
  for (const [run, { scores }] of runs.entries()) {
    for (const score of scores) {
      const { evaluator, name } = score;
      const key = shared.has(name) && evaluator !== '' ? `${evaluator}: ${name}` : name;
      const series = found.get(key) ?? { key, name, evaluators: [], columns: runs.map(() => null) };
      series.columns[run] = score;
      if (evaluator !== '' && !series.evaluators.includes(evaluator)) series.evaluators.push(evaluator);
      found.set(key, series);
    }
  }
  const lacking = ({ columns }: Series) => columns.filter((column) => column === null).length;
  return [...found.values()].toSorted((one, other) => lacking(one) - lacking(other));
}
