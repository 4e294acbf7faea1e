/** Cases for a gate: the numbers of both sides, the rule, and its result as text. */
import { seededNumbers } from '../../electron/core/seeded.ts';

/** `items` numbers: the first `count` are 1, the others 0. */
export const ones = (count: number, items: number) =>
  Array.from({ length: items }, (_, at) => (at < count ? 1 : 0));
export const many = (value: (at: number) => number, items: number) =>
  Array.from({ length: items }, (_, at) => value(at));
/** Numbers with a standard deviation of about 1. */
const spread = (mean: number, items: number, seed = 1) => {
  const next = seededNumbers(seed);
  return many(() => mean + (next() - 0.5) * 3.46, items);
};
export const nothing = (items: number) => Array.from({ length: items }, () => null);

type Numbers = (number | null)[];
interface GateCase {
  name: string;
  /** The values before and after. */
  sides: [Numbers, Numbers];
  rule: string;
  result: 'passed' | 'failed' | 'unsure' | 'empty';
  /** Number of neighbouring items of one trace. */
  ofOneTrace?: number;
  /** The line that the command line prints. */
  words: string;
}

export const CASES: readonly GateCase[] = [
  // Shares.
  {
    name: 'a loss of 20 points',
    sides: [ones(900, 1_000), ones(700, 1_000)],
    rule: 'worse > 2 %',
    result: 'failed',
    words:
      'quality, worse > 2 %: failed. Worse by 20 points, 95 % sure: worse by 17.5 to 22.5 points; the limit is 2 points. 1,000 items.',
  },
  {
    name: 'a loss of 20 points within a limit of 30',
    sides: [ones(900, 1_000), ones(700, 1_000)],
    rule: 'worse > 30 %',
    result: 'passed',
    words:
      'quality, worse > 30 %: passed. Worse by 20 points, 95 % sure: worse by 17.5 to 22.5 points; the limit is 30 points. 1,000 items.',
  },
  {
    name: 'a loss of 20 points at a limit of 20',
    sides: [ones(900, 1_000), ones(700, 1_000)],
    rule: 'worse > 20 %',
    result: 'unsure',
    words:
      'quality, worse > 20 %: cannot tell. Worse by 20 points, 95 % sure: worse by 17.5 to 22.5 points; the limit is 20 points. 1,000 items. It lies too near to the limit for any number of items.',
  },
  {
    name: 'no change at a limit of 2',
    sides: [ones(900, 1_000), ones(900, 1_000)],
    rule: 'worse > 2 %',
    result: 'passed',
    words:
      'quality, worse > 2 %: passed. No difference, 95 % sure: from 0.363 better to 0.363 worse, in points; the limit is 2 points. 1,000 items.',
  },
  {
    name: 'a gain',
    sides: [ones(700, 1_000), ones(900, 1_000)],
    rule: 'worse > 0',
    result: 'passed',
    words:
      'quality, worse > 0: passed. Better by 20 points, 95 % sure: better by 17.5 to 22.5 points; the limit is 0 points. 1,000 items.',
  },
  {
    name: 'a gain at a limit of 2',
    sides: [ones(700, 1_000), ones(900, 1_000)],
    rule: 'worse > 2 %',
    result: 'passed',
    words:
      'quality, worse > 2 %: passed. Better by 20 points, 95 % sure: better by 17.5 to 22.5 points; the limit is 2 points. 1,000 items.',
  },
  {
    name: 'a share as a number',
    sides: [ones(900, 1_000), ones(700, 1_000)],
    rule: 'worse > 0.02',
    result: 'failed',
    words:
      'quality, worse > 0.02: failed. Worse by 20 points, 95 % sure: worse by 17.5 to 22.5 points; the limit is 2 points. 1,000 items.',
  },
  {
    name: 'points',
    sides: [ones(900, 1_000), ones(700, 1_000)],
    rule: 'worse > 2 points',
    result: 'failed',
    words:
      'quality, worse > 2 points: failed. Worse by 20 points, 95 % sure: worse by 17.5 to 22.5 points; the limit is 2 points. 1,000 items.',
  },
  {
    name: 'a small loss of few items',
    sides: [ones(45, 50), ones(43, 50)],
    rule: 'worse > 2 %',
    result: 'unsure',
    words:
      'quality, worse > 2 %: cannot tell. Worse by 4 points, 95 % sure: from 3.86 better to 12.9 worse, in points; the limit is 2 points. 50 items. About 1,800 more items would tell.',
  },
  {
    name: 'a large loss of 29 items',
    sides: [ones(29, 29), ones(0, 29)],
    rule: 'worse > 2 %',
    result: 'unsure',
    words:
      'quality, worse > 2 %: cannot tell. Worse by 100 points, 95 % sure: worse by 83 to 100 points; the limit is 2 points. 29 items. About 1 more item would tell.',
  },
  {
    name: 'a large loss of 30 items',
    sides: [ones(30, 30), ones(0, 30)],
    rule: 'worse > 2 %',
    result: 'failed',
    words:
      'quality, worse > 2 %: failed. Worse by 100 points, 95 % sure: worse by 84 to 100 points; the limit is 2 points. 30 items.',
  },
  {
    name: 'all the same',
    sides: [ones(100, 100), ones(100, 100)],
    rule: 'worse > 5 %',
    result: 'passed',
    words:
      'quality, worse > 5 %: passed. No difference, 95 % sure: from 3.7 better to 3.7 worse, in points; the limit is 5 points. 100 items.',
  },
  {
    name: 'no items',
    sides: [[], []],
    rule: 'worse > 2 %',
    result: 'empty',
    words: 'The two sides have no score in common.',
  },
  {
    name: 'no common item',
    sides: [
      [1, 0, ...nothing(2)],
      [...nothing(2), 1, 0],
    ],
    rule: 'worse > 2 %',
    result: 'empty',
    words: 'quality, worse > 2 %: nothing to judge. No item has a number for this score in both.',
  },
  // The user's own value.
  {
    name: 'a share surely below',
    sides: [ones(700, 1_000), ones(700, 1_000)],
    rule: 'below 80 %',
    result: 'failed',
    words:
      'quality, below 80 %: failed. Now 70 %, 95 % sure: 67.1 to 72.8 %; the limit is 80 %. 1,000 items.',
  },
  {
    name: 'a share surely above',
    sides: [ones(900, 1_000), ones(900, 1_000)],
    rule: 'below 80 %',
    result: 'passed',
    words: 'quality, below 80 %: passed. Now 90 %, 95 % sure: 88 to 91.7 %; the limit is 80 %. 1,000 items.',
  },
  {
    name: 'a share near the limit',
    sides: [ones(800, 1_000), ones(800, 1_000)],
    rule: 'below 80 %',
    result: 'unsure',
    words:
      'quality, below 80 %: cannot tell. Now 80 %, 95 % sure: 77.4 to 82.4 %; the limit is 80 %. 1,000 items. It lies too near to the limit for any number of items.',
  },
  {
    name: 'an error rate above',
    sides: [ones(100, 1_000), ones(100, 1_000)],
    rule: 'above 5 %',
    result: 'failed',
    words: 'quality, above 5 %: failed. Now 10 %, 95 % sure: 8.3 to 12 %; the limit is 5 %. 1,000 items.',
  },
  {
    name: 'an error rate below',
    sides: [ones(10, 1_000), ones(10, 1_000)],
    rule: 'above 5 %',
    result: 'passed',
    words: 'quality, above 5 %: passed. Now 1 %, 95 % sure: 0.54 to 1.83 %; the limit is 5 %. 1,000 items.',
  },
  {
    name: 'a few items far below',
    sides: [ones(0, 10), ones(0, 10)],
    rule: 'below 80 %',
    result: 'unsure',
    words:
      'quality, below 80 %: cannot tell. Now 0 %, 95 % sure: 0 to 27.8 %; the limit is 80 %. 10 items. About 20 more items would tell.',
  },
  // Means.
  {
    name: 'a mean that fell by 0.5',
    sides: [spread(3, 1_000), spread(2.5, 1_000, 2)],
    rule: 'worse > 0.1',
    result: 'failed',
    words:
      'quality, worse > 0.1: failed. Worse by 0.418, 95 % sure: worse by 0.33 to 0.504; the limit is 0.1. 1,000 items.',
  },
  {
    name: 'a mean that fell by 0.5 within 1',
    sides: [spread(3, 1_000), spread(2.5, 1_000, 2)],
    rule: 'worse > 1',
    result: 'passed',
    words:
      'quality, worse > 1: passed. Worse by 0.418, 95 % sure: worse by 0.33 to 0.504; the limit is 1. 1,000 items.',
  },
  {
    name: 'a mean that fell by a sixth',
    sides: [spread(3, 1_000), spread(2.5, 1_000, 2)],
    rule: 'worse > 2 %',
    result: 'failed',
    words:
      'quality, worse > 2 %: failed. Worse by 0.418, 95 % sure: worse by 0.33 to 0.504; the limit is 0.0595. 1,000 items.',
  },
  {
    name: 'a mean that fell by a sixth within a half',
    sides: [spread(3, 1_000), spread(2.5, 1_000, 2)],
    rule: 'worse > 50 %',
    result: 'passed',
    words:
      'quality, worse > 50 %: passed. Worse by 0.418, 95 % sure: worse by 0.33 to 0.504; the limit is 1.49. 1,000 items.',
  },
  {
    name: 'a mean of few items',
    sides: [spread(3, 12), spread(2.9, 12, 2)],
    rule: 'worse > 0.1',
    result: 'unsure',
    words:
      'quality, worse > 0.1: cannot tell. Better by 0.185, 95 % sure: from 1.11 better to 0.621 worse; the limit is 0.1. 12 items. About 220 more items would tell.',
  },
  {
    name: 'a mean below',
    sides: [spread(3, 1_000), spread(2.5, 1_000, 2)],
    rule: 'below 3',
    result: 'failed',
    words: 'quality, below 3: failed. Now 2.56, 95 % sure: 2.5 to 2.62; the limit is 3. 1,000 items.',
  },
  {
    name: 'a mean above',
    sides: [spread(3, 1_000), spread(2.5, 1_000, 2)],
    rule: 'above 2',
    result: 'failed',
    words: 'quality, above 2: failed. Now 2.56, 95 % sure: 2.5 to 2.62; the limit is 2. 1,000 items.',
  },
  {
    name: 'a mean not above',
    sides: [spread(3, 1_000), spread(2.5, 1_000, 2)],
    rule: 'above 3',
    result: 'passed',
    words: 'quality, above 3: passed. Now 2.56, 95 % sure: 2.5 to 2.62; the limit is 3. 1,000 items.',
  },
  {
    name: 'one pair',
    sides: [[3], [2]],
    rule: 'worse > 0.1',
    result: 'unsure',
    words:
      'quality, worse > 0.1: cannot tell. Worse by 1; the limit is 0.1. 1 item. About 29 more items would tell.',
  },
  {
    name: 'numbers too far apart',
    sides: [many(() => 1e308, 40), many(() => -1e308, 40)],
    rule: 'worse > 0.1',
    result: 'empty',
    words:
      'quality, worse > 0.1: nothing to judge. The numbers of 40 items are too far apart for a difference.',
  },
  {
    name: 'constant loss',
    sides: [many(() => 3, 100), many(() => 2, 100)],
    rule: 'worse > 0.5',
    result: 'failed',
    words: 'quality, worse > 0.5: failed. Worse by 1, the same in every item; the limit is 0.5. 100 items.',
  },
  {
    name: 'constant loss at the limit',
    sides: [many(() => 3, 100), many(() => 2, 100)],
    rule: 'worse > 1',
    result: 'passed',
    words: 'quality, worse > 1: passed. Worse by 1, the same in every item; the limit is 1. 100 items.',
  },
  {
    name: 'a mean that rose',
    sides: [spread(2, 1_000), spread(2.5, 1_000, 2)],
    rule: 'worse > 0',
    result: 'passed',
    words:
      'quality, worse > 0: passed. Better by 0.582, 95 % sure: better by 0.496 to 0.67; the limit is 0. 1,000 items.',
  },
  // Missing values.
  {
    name: 'nothing missing',
    sides: [ones(10, 10), ones(10, 10)],
    rule: 'missing > 0',
    result: 'passed',
    words: 'quality, missing > 0: passed. Missing: 0 % of 10 items; the limit is 0 %.',
  },
  {
    name: 'a tenth missing',
    sides: [ones(10, 10), [...ones(9, 9), null]],
    rule: 'missing > 5 %',
    result: 'failed',
    words: 'quality, missing > 5 %: failed. Missing: 10 % of 10 items; the limit is 5 %.',
  },
  {
    name: 'a tenth missing at a tenth',
    sides: [ones(10, 10), [...ones(9, 9), null]],
    rule: 'missing > 10 %',
    result: 'passed',
    words: 'quality, missing > 10 %: passed. Missing: 10 % of 10 items; the limit is 10 %.',
  },
  {
    name: 'nothing there',
    sides: [[], []],
    rule: 'missing > 5 %',
    result: 'empty',
    words: 'The two sides have no score in common.',
  },
  {
    name: 'case and spaces',
    sides: [ones(900, 1_000), ones(700, 1_000)],
    rule: '  WORSE>2% ',
    result: 'failed',
    words:
      'quality, WORSE>2%: failed. Worse by 20 points, 95 % sure: worse by 17.5 to 22.5 points; the limit is 2 points. 1,000 items.',
  },
  // Items of one trace count together.
  {
    name: 'a loss of 10 points in 30 traces of ten alike items',
    sides: [ones(300, 300), ones(270, 300)],
    ofOneTrace: 10,
    rule: 'worse > 2 %',
    result: 'unsure',
    words:
      'quality, worse > 2 %: cannot tell. Worse by 10 points, 95 % sure: from 1.39 better to 21.4 worse, in points; the limit is 2 points. 300 items. About 950 more items would tell.',
  },
  {
    name: 'a loss of all in 30 traces',
    sides: [ones(300, 300), ones(0, 300)],
    ofOneTrace: 10,
    rule: 'worse > 2 %',
    result: 'failed',
    words:
      'quality, worse > 2 %: failed. Worse by 100 points, 95 % sure: worse by 84 to 100 points; the limit is 2 points. 300 items.',
  },
  {
    name: 'all the same in 3 traces',
    sides: [ones(300, 300), ones(300, 300)],
    ofOneTrace: 100,
    rule: 'worse > 5 %',
    result: 'unsure',
    words:
      'quality, worse > 5 %: cannot tell. No difference, 95 % sure: from 56.1 better to 56.1 worse, in points; the limit is 5 points. 300 items. About 78,000 more items would tell.',
  },
  {
    name: 'a loss in items of one trace alone',
    sides: [ones(300, 300), ones(200, 300)],
    ofOneTrace: 300,
    rule: 'worse > 5 %',
    result: 'unsure',
    words:
      'quality, worse > 5 %: cannot tell. Worse by 33.3 points; the limit is 5 points. 300 items. About 8,700 more items would tell.',
  },
];

/** Assigns neighbouring items to traces; each trace has this many. */
export const tracesOf = (items: number, ofOneTrace: number): ReadonlyMap<string, string> =>
  new Map(Array.from({ length: items }, (_, at) => [`item ${at}`, `trace ${Math.floor(at / ofOneTrace)}`]));
