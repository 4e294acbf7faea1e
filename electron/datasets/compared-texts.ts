/** Reads rows and single items of compared runs with their stored texts. */

import { elementAt } from '../core/element-at.ts';
import type { RunsMatch } from '../core/items/compare-runs.ts';
import { RUN_FATES, type RunColumns } from '../core/items/run-columns.ts';
import { shownInputs } from '../core/items/shown-inputs.ts';
import type { PlacedResult, RunReads } from '../db/run-reads.ts';
import { cutText } from '../shared/cut-text.ts';
import { parseExact, writeExact } from '../shared/exact-json.ts';
import { fateOf, mainText } from '../shared/experiment-result.ts';
import type { ComparedItem, ComparedSide, GivenInput, RunResult } from '../shared/run-comparison.ts';
import type { TraceUsage } from '../shared/run-usage.ts';
import type { ScoreInput } from '../shared/score-model.ts';
import type { RunSource } from './run-source.ts';

const MAX_TITLE = 160;
/** Maximum characters for all runs of an item together, which bounds the size of an answer. */
const MAX_OUTPUTS = 400;
const MAX_REASONS = 600;
/** Maximum characters of a text if the item is read alone. */
const MAX_VALUE = 20_000;
/** Maximum number of results of one item in one run. */
const MAX_RESULTS = 20;
/** Largest part of a number that adding doubles can change. */
const MAX_NOISE = 1e-12;

interface RowParts {
  reads: RunReads;
  sources: readonly RunSource[];
  columns: readonly RunColumns[];
  match: RunsMatch;
  score: string | null;
  lowerIsBetter: boolean;
  baseline: number;
  /** Failure kind by item. */
  kinds: ReadonlyMap<string, string>;
  /** Sums over the traces of an item, by its index in a run; null until they are read. */
  usageOf: (run: number, place: number) => TraceUsage | null;
}

type Texts = Pick<ComparedSide, 'output' | 'problem' | 'reasoning'> & { title: string };
/** Maximum number of characters of the output and the reason of one run. */
interface Lengths {
  output: number;
  reasoning: number;
}
/** The evaluator and name of the displayed score; null if the run does not have it. */
type ShownScore = ReturnType<RunsMatch['sourceOf']>;

/** The rows of one page, with their texts. */
export function rowsOf(parts: RowParts, items: readonly number[]): ComparedItem[] {
  if (items.length === 0) return [];
  const { reads, sources, columns, match, score, lowerIsBetter, baseline, kinds, usageOf } = parts;
  const most: Lengths = {
    output: Math.floor(MAX_OUTPUTS / sources.length),
    reasoning: Math.floor(MAX_REASONS / sources.length),
  };
  const texts = sources.map((source, run) => {
    const places = items.map((item) => match.placeOf(run, item));
    const shown = score === null ? null : match.sourceOf(score, run);
    const read = source.ref.kind === 'scores' ? scoreTexts : resultTexts;
    return read(reads, source, places, elementAt(columns, run), { shown, most });
  });
  return items.map((item): ComparedItem => {
    const sides = sources.map((_, run): ComparedSide | null => {
      const own = elementAt(columns, run);
      const place = match.placeOf(run, item);
      if (place < 0) return null;
      const { output = '', problem = null, reasoning = null } = texts[run]?.get(place) ?? {};
      const none = { value: null, label: null };
      const { value, label } = score === null ? none : match.scoreAt(score, run, item);
      const earlier = score === null ? none : match.scoreAt(score, baseline, item);
      const isCompared = run !== baseline && value !== null && earlier.value !== null;
      const durationMs = elementAt(own.durations.values, place);
      const deviation = score === null ? null : match.deviationAt(score, run, item);
      const usage = usageOf(run, place);
      const results = own.repeated.get(place)?.length ?? 1;
      const leftOut = score === null || value === null ? 0 : results - match.numbersAt(score, run, item);
      return {
        fate: elementAt(RUN_FATES, elementAt(own.fates, place)),
        ...{ output, value, label, problem, reasoning },
        change: score === null ? null : match.changeAt(score, lowerIsBetter, run, item),
        difference:
          isCompared && value !== null && earlier.value !== null ? differenceOf(value, earlier.value) : null,
        durationMs: Number.isNaN(durationMs) ? null : durationMs,
        results,
        ...(leftOut === 0 ? {} : { leftOut }),
        ...(deviation === null ? {} : { deviation }),
        ...(usage === null ? {} : { usage }),
      };
    });
    const titles = texts.map((of, run) => of.get(match.placeOf(run, item))?.title ?? '');
    const titleRun = titles.findIndex((title) => title !== '');
    const itemId = elementAt(match.itemIds, item);
    return {
      ...{ itemId, failureKind: kinds.get(itemId) ?? null },
      ...{ title: titles[titleRun] ?? '', titleRun: titleRun < 0 ? null : titleRun },
      sides,
    };
  });
}

/** The difference of two means; 0 if only rounding of the sums makes them differ. */
function differenceOf(value: number, earlier: number): number {
  const difference = value - earlier;
  const isNoise = Math.abs(difference) < MAX_NOISE * Math.max(Math.abs(value), Math.abs(earlier));
  return isNoise ? 0 : difference;
}

/** The texts of a result, by the index of the item in the columns. */
function resultTexts(
  reads: RunReads,
  { generationId }: RunSource,
  places: readonly number[],
  columns: RunColumns,
  { shown, most }: { shown: ShownScore; most: Lengths },
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
      output: beginning(mainText(result.outputs), most.output),
      problem: problemOf(result),
      reasoning: reasonIn(result.scores, shown, most),
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
  { shown, most }: { shown: ShownScore; most: Lengths },
): Map<number, Texts> {
  const { about, judged } = inputsShown(inputs);
  const wanted = new Map(
    places.flatMap((place) => (place < 0 ? [] : [[elementAt(itemIds, place), place] as const])),
  );
  const found = new Map<number, Texts>();
  for (const { itemId, inputs: given, scores, error } of reads.scoreItems(ref.id, [...wanted.keys()])) {
    const place = wanted.get(itemId);
    if (place === undefined) continue;
    const textOf = (input: string | undefined, size: number) =>
      input === undefined ? '' : beginning(given?.[input], size);
    found.set(place, {
      title: textOf(about, MAX_TITLE),
      output: textOf(judged, most.output),
      problem: error?.message ?? null,
      reasoning: reasonIn(scores, shown, most),
    });
  }
  return found;
}

/** The beginning of the reason for a score; null if there is none. Scores of runs made here have no evaluator. */
function reasonIn(
  scores: readonly { evaluator?: string; name: string; reasoning: string | null }[],
  shown: ShownScore,
  { reasoning: most }: Lengths,
): string | null {
  if (shown === null) return null;
  const { name, evaluator } = shown;
  const own = scores.find((each) => each.name === name && (each.evaluator ?? evaluator) === evaluator);
  return beginning(own?.reasoning, most) || null;
}

/** Names of the input that describes the item, and of the input that was judged. */
function inputsShown(inputs: readonly ScoreInput[]): {
  about: string | undefined;
  judged: string | undefined;
} {
  const { about, judged } = shownInputs(inputs);
  return { about: about?.input, judged: (judged ?? about)?.input };
}

/** The beginning of a value on one line. */
function beginning(value: unknown, most: number): string {
  if (value === undefined || value === null) return '';
  const text = typeof value === 'string' ? cutText(value, most * 4) : JSON.stringify(value);
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return cutText(line, most);
}

/** The results of an item in a run; empty if the run does not have it. */
export function resultsOf(
  reads: RunReads,
  source: RunSource,
  columns: RunColumns,
  itemId: string,
): RunResult[] {
  const { ref, generationId, inputs, evaluator } = source;
  const at = columns.itemIds.indexOf(itemId);
  if (at < 0) return [];
  if (ref.kind === 'experiment') {
    const positions = columns.repeated.get(at) ?? [elementAt(columns.positions, at)];
    return reads.results(generationId, positions.slice(0, MAX_RESULTS), parseExact).map(({ result }) => {
      const { itemId: resultId, outputs, expectedOutputs, scores, durationMs, traceId, timestamp } = result;
      const texts = { inputs: result.inputs, outputs, expectedOutputs };
      return {
        resultId: resultId === '' ? null : resultId,
        ...{ fate: fateOf(result), ...cut(texts), durationMs, problem: problemOf(result) },
        ...{ traceId, timestamp },
        given: [],
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
      ...{ durationMs: null, problem: item.error?.message ?? null },
      ...{ traceId: null, timestamp: null },
      given: givenIn(item.inputs, inputs),
      scores: item.scores.map((score) => ({ evaluator, ...score })),
    },
  ];
}

function givenIn(
  values: Readonly<Record<string, unknown>> | null,
  inputs: readonly ScoreInput[],
): GivenInput[] {
  if (values === null) return [];
  return inputs.map(({ input, from }) => ({ input, from, ...cut({ value: values[input] ?? null }) }));
}

/** Long values are replaced by the beginning of their text. */
function cut<T extends Readonly<Record<string, unknown>>>(
  values: T,
): Record<keyof T, unknown> & { isCut: boolean } {
  let isCut = false;
  const short = Object.entries(values).map(([name, value]) => {
    const text = typeof value === 'string' ? value : writeExact(value);
    if (text.length <= MAX_VALUE) return [name, value];
    isCut = true;
    return [name, cutText(text, MAX_VALUE)];
  });
  return { ...(Object.fromEntries(short) as Record<keyof T, unknown>), isCut };
}
