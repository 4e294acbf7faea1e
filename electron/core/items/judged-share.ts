/** Compares the decisions of a judge with those of people on the same items of one run. Pure. */
import type { JudgedShare } from '../../shared/judged-share.ts';
import { elementAt } from '../element-at.ts';
import { correctedShare } from '../statistics/judge.ts';
import { labelOf, type Ordered } from './run-places.ts';

/** Labels in lower case that say whether an output is good; any other says neither. */
const GOOD = new Set(['yes', 'true', 'pass', 'passed', 'good', 'correct', 'accepted', 'success']);
const BAD = new Set(['no', 'false', 'fail', 'failed', 'bad', 'incorrect', 'wrong', 'rejected', 'failure']);
/** Numbers from 0 to 1 of at least this are nearer to good. */
const MIDDLE = 0.5;

type Decision = (item: number) => boolean | null;

/** Reads each score as good or bad; the kind of problem if they cannot be read so. */
function decisionsOf(judge: Ordered, lowerIsBetter: boolean): Decision | 'scale' | 'labels' {
  const { values, labels, labelNames } = judge;
  if (values.some((value) => !Number.isNaN(value))) {
    if (values.some((value) => value < 0 || value > 1)) return 'scale';
    return (item) => {
      const value = elementAt(values, item);
      return Number.isNaN(value) ? null : value >= MIDDLE !== lowerIsBetter;
    };
  }
  const names = labelNames.map((name) => name.trim().toLowerCase());
  if (labels === null || names.some((name) => !GOOD.has(name) && !BAD.has(name))) return 'labels';
  return (item) => {
    const label = labelOf(judge, item);
    return label === null ? null : GOOD.has(label.trim().toLowerCase());
  };
}

/** `person`: 1 for good and 0 for bad; a mean of different decisions is none. Null if there is no decision at all. */
export function judgedShareOf(judge: Ordered, person: Ordered, lowerIsBetter: boolean): JudgedShare | null {
  const decisionAt = decisionsOf(judge, lowerIsBetter);
  const pairs = { bothYes: 0, onlyPerson: 0, onlyJudge: 0, bothNo: 0 };
  const rest = { good: 0, items: 0 };
  let decided = 0;
  for (let item = 0; item < person.values.length; item += 1) {
    const opinion = elementAt(person.values, item);
    const isDecided = opinion === 0 || opinion === 1;
    decided += Number(isDecided);
    const judged = typeof decisionAt === 'string' ? null : decisionAt(item);
    if (judged === null) continue;
    if (Number.isNaN(opinion)) {
      rest.items += 1;
      rest.good += Number(judged);
    } else if (isDecided)
      pairs[opinion === 1 ? (judged ? 'bothYes' : 'onlyPerson') : judged ? 'onlyJudge' : 'bothNo'] += 1;
  }
  if (decided === 0) return null;
  const good = pairs.bothYes + pairs.onlyPerson;
  const both = good + pairs.onlyJudge + pairs.bothNo;
  const hasNumbers = judge.values.some((value) => !Number.isNaN(value));
  const none: JudgedShare = {
    ...{ both, good, rest, goodWhen: !hasNumbers ? 'label' : lowerIsBetter ? 'low' : 'high' },
    ...{ sensitivity: null, specificity: null, corrected: null, problem: null },
  };
  if (typeof decisionAt === 'string') return { ...none, problem: decisionAt };
  if (good === 0 || good === both) return { ...none, problem: 'one-sided' };
  // Even without other items, the items that both decided show how good the judge is.
  const found = correctedShare(
    pairs,
    rest.items === 0 ? { yes: good, items: both } : { yes: rest.good, items: rest.items },
  );
  if (found === null) return { ...none, problem: 'one-sided' };
  const { sensitivity, specificity, share } = found;
  const isWide = share !== null && share.interval[0] <= 0 && share.interval[1] >= 1;
  const problem = share === null ? 'chance' : rest.items === 0 ? 'no-rest' : isWide ? 'few' : null;
  return { ...none, sensitivity, specificity, corrected: problem === null ? share : null, problem };
}
