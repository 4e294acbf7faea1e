/** Agreement of a judge with people who decided on some of the same outputs, and its share corrected for its errors. */
import { counted } from './count-text.ts';
import { percentText, SHARE_DECIMALS } from './figure-words.ts';
import type { Interval } from './wilson.ts';

/** Names under which decisions by people are stored as scores: 1 for good, 0 for bad. */
export const HUMAN = 'Human';
export const HUMAN_SCORE = 'good';

interface Rate {
  /** From 0 to 1. */
  value: number;
  interval: Interval | null;
}

/**
 * Why a share is not corrected. `scale`: the numbers are not from 0 to 1. `labels`: a label says neither good nor bad.
 * `one-sided`: people found only good or only bad outputs. `no-rest`: people decided on every scored item. `chance`:
 * the judge is no better than chance. `few`: there are too few decisions for an interval.
 */
type CorrectionProblem = 'scale' | 'labels' | 'one-sided' | 'no-rest' | 'chance' | 'few';

export interface JudgedShare {
  /** Number of items that both people and the judge decided, and of those that people found good. */
  both: number;
  good: number;
  /** Numbers of at least 0.5, or below it, or labels count as good. */
  goodWhen: 'high' | 'low' | 'label';
  /**
   * Share of the items good for people that the judge calls good, and of the bad ones that it calls bad; null if there
   * are none.
   */
  sensitivity: Rate | null;
  specificity: Rate | null;
  /** Decisions of the judge on items that no person decided. */
  rest: { good: number; items: number };
  /** Share of the items in `rest` that people would find good, as an estimate. */
  corrected: { value: number; interval: Interval } | null;
  problem: CorrectionProblem | null;
}

const percent = (share: number): string => `${percentText(share, SHARE_DECIMALS)} %`;
const range = ([low, high]: Interval): string =>
  `${percentText(low, SHARE_DECIMALS)} to ${percentText(high, SHARE_DECIMALS)} %`;
const rate = ({ value, interval }: Rate): string =>
  `${percent(value)}${interval === null ? '' : ` (${range(interval)})`}`;

/**
 * Example: `Against people on 40 items …: 71.0 % good of 960 items without people corrects to 66.4 % (61.2 to 71.5 %).`
 */
export function judgedShareText(judged: JudgedShare): string {
  const { both, good, goodWhen, sensitivity, specificity, rest, corrected, problem } = judged;
  const rule = { high: ' (0.5 or more is good)', low: ' (less than 0.5 is good)', label: '' }[goodWhen];
  const on = `Against people on ${counted(both, 'item')}${rule}`;
  const found =
    sensitivity === null || specificity === null
      ? on
      : `${on}, the judge finds ${rate(sensitivity)} of the good and ${rate(specificity)} of the bad`;
  const not = 'the share of the judge cannot be corrected';
  if (problem === null && corrected !== null)
    return `${found}: ${percent(rest.good / rest.items)} good of ${counted(rest.items, 'item')} without people corrects to ${percent(corrected.value)} (${range(corrected.interval)}).`;
  switch (problem) {
    case 'scale':
      return `People decided on some of these items, but the numbers of the judge are not from 0 to 1: ${not}.`;
    case 'labels':
      return `People decided on some of these items, but the labels of the judge do not say good or bad: ${not}.`;
    case 'one-sided':
      return both === 0
        ? `People and the judge decided on no item in common: ${not}.`
        : `${on}, people found all of them ${good === 0 ? 'bad' : 'good'}: without one of each, ${not}.`;
    case 'no-rest':
      return `${found}. People decided on every item that the judge scored: their share counts.`;
    case 'chance':
      return `${found}: no better than chance, so ${not}.`;
    default:
      return `${found}: too few decisions to say more than 0 to 100 %, so ${not}.`;
  }
}
