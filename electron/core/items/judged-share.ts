/** Compares the decisions of a judge with those of people on the same items of one run. Pure. */
import type { JudgedShare } from '../../shared/judged-share.ts';
import { elementAt } from '../element-at.ts';
import { correctedShare } from '../statistics/judge.ts';
import { labelOf, type Ordered } from './run-places.ts';

/** Labels in lower case that mean good or bad. Any other label means neither. */
const GOOD = new Set(['yes', 'true', 'pass', 'passed', 'good', 'correct', 'accepted', 'success']);
const BAD = new Set(['no', 'false', 'fail', 'failed', 'bad', 'incorrect', 'wrong', 'rejected', 'failure']);
/** Numbers on a scale from 0 to 1 count as good from this value on. */
const MIDDLE = 0.5;

type Decision = (item: number) => boolean | null;

/** Returns a function that reads each score as good or bad, or the kind of problem if that is impossible. */
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

/**
 * `person`: people's decisions, 1 for good and 0 for bad. The mean of contradicting decisions does not count. Null if
 * there is no decision.
 */
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
  // The items that both decided on show how good the judge is, even if there are no other items.
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
