/** Finds the score runs, the score and the items that the Scores view shows, from the parameters of its tab. Pure. */
import { parseExact } from '../../electron/shared/exact-json.ts';
import { formerFilter } from '../../electron/shared/former-comparison.ts';
import {
  type ChosenItems,
  NO_FILTER,
  type RunFilter,
  type RunRef,
} from '../../electron/shared/run-comparison.ts';
import type { ScoreRun } from '../../electron/shared/score-model.ts';
import { filterOfParam } from './comparison-params.ts';

/** Value of `against` for a run that is shown alone. */
export const ALONE = 'none';

type Params = Readonly<Record<string, string | undefined>>;

interface ScoreChoice {
  chosen: ScoreRun;
  /** The run that the chosen one is compared with. */
  before: ScoreRun | null;
  /** Names of scores that the shown runs have. */
  names: readonly string[];
  query: ChosenItems;
  /** Reasons why the shown runs or score are not those of the parameters. */
  notes: readonly string[];
}

/** Names that both runs have, in the order of the first run. */
const shared = (one: ScoreRun, other: ScoreRun): string[] =>
  one.scoreNames.filter((name) => other.scoreNames.includes(name));

interface Pair {
  before: ScoreRun | null;
  note?: string;
}

/** The run to compare with: the requested one, otherwise the latest earlier run of the same evaluator. */
function comparedWith(runs: readonly ScoreRun[], chosen: ScoreRun, wanted: string | undefined): Pair {
  if (wanted === ALONE || chosen.counts.scored === 0) return { before: null };
  const others = runs.filter(({ runId, counts }) => runId !== chosen.runId && counts.scored > 0);
  if (wanted === undefined || wanted === chosen.runId) {
    const usual = others.find(
      (other) =>
        other.plan.evaluator === chosen.plan.evaluator &&
        other.createdAtMs <= chosen.createdAtMs &&
        shared(other, chosen).length > 0,
    );
    return { before: usual ?? null };
  }
  const other = others.find(({ runId }) => runId === wanted);
  if (other === undefined) {
    return {
      before: null,
      note: `The run to compare with has no scores any more: ${chosen.name} is shown alone.`,
    };
  }
  if (shared(other, chosen).length > 0) return { before: other };
  return {
    before: null,
    note: `${other.name} and ${chosen.name} have no score of the same name: ${chosen.name} is shown alone.`,
  };
}

/** The filter for items. Also reads the parameters that earlier versions stored in saved views. */
function storedFilter({ scoreFilter, scoreShow, scoreOnly }: Params): RunFilter {
  if (scoreFilter || (!scoreShow && !scoreOnly)) return filterOfParam(scoreFilter);
  try {
    const only = scoreOnly ? parseExact(scoreOnly) : null;
    return formerFilter({ show: scoreShow || null, only }) ?? NO_FILTER;
  } catch {
    // The parameter is not JSON, so all items are shown.
    return NO_FILTER;
  }
}

/** A comparison is filtered by change, a single run by state. Any other filter shows all items. */
function filterIn(params: Params, isCompared: boolean): RunFilter {
  const filter = { ...storedFilter(params), run: null };
  if (isCompared) return filter.fate === 'good' ? NO_FILTER : filter;
  const { change, atLeast, difference, labelBefore } = filter;
  return [change, atLeast, difference, labelBefore].some((each) => each !== null) ? NO_FILTER : filter;
}

/** The runs, score and items to show; null if there are no runs. `runs`: newest first. */
export function scoreChoice(runs: readonly ScoreRun[], params: Params): ScoreChoice | null {
  const wanted = params['run'];
  const found = runs.find(({ runId }) => runId === wanted);
  const chosen = found ?? runs[0];
  if (chosen === undefined) return null;
  const notes: string[] = [];
  if (wanted !== undefined && found === undefined) {
    notes.push(`The selected run was removed: ${chosen.name} is shown.`);
  }
  const { before, note } = comparedWith(runs, chosen, params['against']);
  if (note !== undefined) notes.push(note);
  const names = before === null ? chosen.scoreNames : shared(before, chosen);
  const asked = params['scoreName'];
  const isThere = asked === undefined || names.includes(asked);
  const [first] = names;
  if (!isThere && first !== undefined) {
    const lack = before === null ? `${chosen.name} has no score` : 'The two runs do not both have the score';
    notes.push(`${lack} ${asked}: ${first} is shown.`);
  }
  return {
    ...{ chosen, before, names, notes },
    query: {
      runs: [before, chosen].flatMap((run): RunRef[] =>
        run === null ? [] : [{ kind: 'scores', id: run.runId }],
      ),
      ...{ baseline: 0, score: isThere ? (asked ?? first ?? null) : (first ?? null) },
      // The direction in the parameters is ignored if it was chosen for another score.
      lowerIsBetter: isThere && params['scoreBetter'] === 'lower',
      filter: filterIn(params, before !== null),
    },
  };
}

/** Parameters for showing another run. The filter for items is reset, and so is the score if the evaluator differs. */
export function paramsOfRun(run: ScoreRun, previous: ScoreRun | null): Record<string, string> {
  const isSame = previous?.plan.evaluator === run.plan.evaluator;
  return { run: run.runId, against: '', scoreName: '', ...NO_ITEMS, ...(isSame ? {} : { scoreBetter: '' }) };
}

/**
 * Resets the filter for items: other runs have other numbers. The last two parameters are those of earlier versions.
 */
export const NO_ITEMS = { scoreFilter: '', scoreShow: '', scoreOnly: '' };

/** Parameters for showing another score. The better direction is reset, as it depends on the score. */
export const paramsOfScore = (name: string): Record<string, string> => ({
  ...{ scoreName: name, scoreBetter: '' },
  ...NO_ITEMS,
});
