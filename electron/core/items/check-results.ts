/** Groups the results of an experiment by the item of its dataset, so that checks can run over them. Pure. */
import { counted, numberText } from '../../shared/count-text.ts';
import { type ExperimentResult, fateOf, readResult } from '../../shared/experiment-result.ts';
import type { ScoreInput, ScoreValue } from '../../shared/score-model.ts';
import { scoreInputsOf } from '../jobs/score-run.ts';
import { type Checked, isUnchecked } from './score-check.ts';

type Inputs = Record<string, unknown>;

interface GroupedResults {
  /** Id of the item of the dataset, or of the result if it refers to no item. */
  itemId: string;
  /** Ids of the results that can be checked. */
  resultIds: string[];
  /**
   * The inputs of the result. If there are several results, each input is the list of its values, in the order of
   * `resultIds`. Null if there is no result.
   */
  inputs: Inputs | null;
  /** The reason why no result of the item can be checked. */
  problem: string | null;
  /** The number of results that are left out although others are checked, with the reason; null if there are none. */
  leftOut: string | null;
}

interface Group {
  /** Number of all results, including those that cannot be checked. */
  results: number;
  resultIds: string[];
  inputs: Inputs[];
  missing: Set<string>;
  /** The reason of the first result that failed or was skipped in the experiment. */
  problem: string | null;
}

export class ResultGroups {
  readonly #wanted: readonly ScoreInput[];
  readonly #groups = new Map<string, Group>();

  constructor(wanted: readonly ScoreInput[]) {
    this.#wanted = wanted;
  }

  add(record: Readonly<Record<string, unknown>>): void {
    const result = readResult(record);
    const itemId = result.datasetItemId === '' ? result.itemId : result.datasetItemId;
    const group = this.#groups.get(itemId) ?? {
      ...{ results: 0, resultIds: [], inputs: [], missing: new Set<string>(), problem: null },
    };
    this.#groups.set(itemId, group);
    group.results += 1;
    const fate = fateOf(result);
    if (fate === 'failed' || fate === 'skipped') {
      group.problem ??= problemOf(result);
      return;
    }
    const { inputs, missing } = scoreInputsOf(
      {
        inputs: result.inputs ?? {},
        outputs: result.outputs ?? {},
        expected_outputs: result.expectedOutputs ?? {},
      },
      this.#wanted,
    );
    for (const field of missing) group.missing.add(field);
    if (missing.length > 0) return;
    group.resultIds.push(result.itemId);
    group.inputs.push(inputs);
  }

  /** The groups in the order of their first results. */
  rows(): GroupedResults[] {
    return [...this.#groups].map(([itemId, { results, resultIds, inputs, missing, problem }]) => {
      const [only] = inputs;
      const reason = problem ?? `The result lacks ${[...missing].join(', ')}, which the check needs.`;
      if (only === undefined) return { itemId, resultIds, inputs: null, problem: reason, leftOut: null };
      const checked = inputs.length === 1 ? only : listsOf(inputs);
      const leftOut = leftOutText(results - inputs.length, results, reason);
      return { itemId, resultIds, inputs: checked, problem: null, leftOut };
    });
  }
}

const problemOf = (result: ExperimentResult): string => {
  const why = result.errorMessage ?? result.errorReason;
  const what =
    fateOf(result) === 'failed' ? 'The item failed in the experiment' : 'The experiment skipped the item';
  return why === null ? `${what}.` : `${what}: ${why}`;
};

/** Example: `2 of 5 results left out: The item failed in the experiment.` Null if none is left out. */
const leftOutText = (leftOut: number, results: number, reason: string): string | null =>
  leftOut === 0 ? null : `${numberText(leftOut)} of ${counted(results, 'result')} left out: ${reason}`;

function listsOf(all: readonly Inputs[]): Inputs {
  const names = Object.keys(all[0] ?? {});
  return Object.fromEntries(names.map((name) => [name, all.map((inputs) => inputs[name])]));
}

/**
 * Scores an item by its results. With several results, the value is the share that passes, the reason is that of the
 * first failure, and the label is the common one, if there is one. Results that cannot be judged are left out, and the
 * reason says how many. `leftOut`: the text about results that were left out before.
 */
export function scoreOfResults(
  scoreOf: (inputs: Inputs) => Checked,
  inputs: Inputs,
  results: number,
  leftOut: string | null = null,
): Checked {
  const checked =
    results <= 1
      ? [scoreOf(inputs)]
      : Array.from({ length: results }, (_, at) => scoreOf(resultAt(inputs, at)));
  const scores = checked.filter((each): each is ScoreValue => !isUnchecked(each));
  const [first] = scores;
  const unchecked = checked.find(isUnchecked);
  if (first === undefined) return unchecked ?? { skipped: 'The item has no result to check.' };
  const value = scores.reduce((sum, score) => sum + (score.value ?? 0), 0) / scores.length;
  const isSame = scores.every(({ label }) => label === first.label);
  const reasons = [
    scores.find((score) => score.reasoning !== null)?.reasoning ?? null,
    unchecked === undefined
      ? null
      : leftOutText(checked.length - scores.length, checked.length, unchecked.skipped),
    leftOut,
  ].filter((reason) => reason !== null);
  return {
    ...{ name: first.name, value, label: isSame ? first.label : null },
    reasoning: reasons.length === 0 ? null : reasons.join(' '),
  };
}

/** The inputs of the result at this index, if there are several results. */
export const resultAt = (inputs: Inputs, at: number): Inputs =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, values]) => [name, Array.isArray(values) ? values[at] : values]),
  );
