/** The score runs, the score and the items that the Scores view shows for the parameters of its tab. Pure. */
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
  /** Scores that the shown runs have. */
  names: readonly string[];
  query: ChosenItems;
  /** Why the runs or the score are others than those of the parameters. */
  notes: readonly string[];
}

/** Names that both runs have, in the order of the first. */
const shared = (one: ScoreRun, other: ScoreRun): string[] =>
  one.scoreNames.filter((name) => other.scoreNames.includes(name));

interface Pair {
  before: ScoreRun | null;
  note?: string;
}

/** The run to compare with: the wanted one, otherwise the latest earlier one of the same evaluator. */
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

/** The chosen items, also as earlier versions stored them in a saved view. */
function storedFilter({ scoreFilter, scoreShow, scoreOnly }: Params): RunFilter {
  if (scoreFilter || (!scoreShow && !scoreOnly)) return filterOfParam(scoreFilter);
  try {
    const only = scoreOnly ? parseExact(scoreOnly) : null;
    return formerFilter({ show: scoreShow || null, only }) ?? NO_FILTER;
  } catch {
    // No JSON: all items.
    return NO_FILTER;
  }
}

/** A comparison is filtered by change, a run alone by state: other choices show all items. */
function filterIn(params: Params, isCompared: boolean): RunFilter {
  const filter = { ...storedFilter(params), run: null };
  if (isCompared) return filter.fate === 'good' ? NO_FILTER : filter;
  const { change, atLeast, difference, labelBefore } = filter;
  return [change, atLeast, difference, labelBefore].some((each) => each !== null) ? NO_FILTER : filter;
}

/** `runs` newest first; null without runs. */
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
      // The direction was chosen for another score.
      lowerIsBetter: isThere && params['scoreBetter'] === 'lower',
      filter: filterIn(params, before !== null),
    },
  };
}

/** Parameters for another run: those of the items, and of its score if the evaluator is another one. */
export function paramsOfRun(run: ScoreRun, previous: ScoreRun | null): Record<string, string> {
  const isSame = previous?.plan.evaluator === run.plan.evaluator;
  return { run: run.runId, against: '', scoreName: '', ...NO_ITEMS, ...(isSame ? {} : { scoreBetter: '' }) };
}

/** Other runs have other numbers: the items behind one of them are not selected any more. The last two are of earlier versions. */
export const NO_ITEMS = { scoreFilter: '', scoreShow: '', scoreOnly: '' };

/** Parameters for another score: its better direction is another matter. */
export const paramsOfScore = (name: string): Record<string, string> => ({
  ...{ scoreName: name, scoreBetter: '' },
  ...NO_ITEMS,
});
