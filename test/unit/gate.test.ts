/** The decision of a gate: a table of cases, its words, and how often it fails without a difference. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkText, gateJunit, gateMarkdown } from '../../electron/cli/gate-report.ts';
import { scoresOfFiles } from '../../electron/cli/gate-sources.ts';
import { seededNumbers } from '../../electron/core/seeded.ts';
import {
  decideGate,
  gateRuleProblem,
  parseGateRule,
  wholeGate,
} from '../../electron/core/statistics/gate.ts';

type Side = Map<string, Record<string, { name: string; value: number | null; label: null; reasoning: null }>>;

/** Items with these numbers; null: the item has no score. */
function side(values: readonly (number | null)[]): Side {
  return new Map(
    values.map((value, at) => [
      `item ${at}`,
      value === null ? {} : { quality: { name: 'quality', value, label: null, reasoning: null } },
    ]),
  );
}

function decide(
  before: readonly (number | null)[],
  after: readonly (number | null)[],
  typed: string,
  lowerIsBetter = false,
) {
  const rule = parseGateRule(typed);
  if (rule === null) throw new Error(`Expected a rule, got ${typed}.`);
  const [score] = scoresOfFiles(side(before), side(after), [], lowerIsBetter);
  const counts = score?.counts;
  const all = counts === undefined ? 0 : Object.values(counts).reduce((sum, count) => sum + count, 0);
  const facts = { figures: score?.figures ?? null, missing: counts?.missing ?? 0, all, lowerIsBetter };
  return { rule, score, decision: decideGate(rule, facts) };
}

/** `ones` of `items` numbers are 1, in front. */
const ones = (count: number, items: number) => Array.from({ length: items }, (_, at) => (at < count ? 1 : 0));
const many = (value: (at: number) => number, items: number) =>
  Array.from({ length: items }, (_, at) => value(at));
/** Numbers with a spread of about one. */
const spread = (mean: number, items: number, seed = 1) => {
  const next = seededNumbers(seed);
  return many(() => mean + (next() - 0.5) * 3.46, items);
};
const nothing = (items: number) => Array.from({ length: items }, () => null);

const CASES: [string, (number | null)[], (number | null)[], string, string][] = [
  // Shares
  ['a loss of 20 points', ones(900, 1_000), ones(700, 1_000), 'worse > 2 %', 'failed'],
  ['a loss of 20 points within a limit of 30', ones(900, 1_000), ones(700, 1_000), 'worse > 30 %', 'passed'],
  ['a loss of 20 points at a limit of 20', ones(900, 1_000), ones(700, 1_000), 'worse > 20 %', 'unsure'],
  ['no change at a limit of 2', ones(900, 1_000), ones(900, 1_000), 'worse > 2 %', 'passed'],
  ['a gain', ones(700, 1_000), ones(900, 1_000), 'worse > 0', 'passed'],
  ['a gain at a limit of 2', ones(700, 1_000), ones(900, 1_000), 'worse > 2 %', 'passed'],
  ['a share as a number', ones(900, 1_000), ones(700, 1_000), 'worse > 0.02', 'failed'],
  ['points', ones(900, 1_000), ones(700, 1_000), 'worse > 2 points', 'failed'],
  ['a small loss of few items', ones(45, 50), ones(43, 50), 'worse > 2 %', 'unsure'],
  ['a large loss of 29 items', ones(29, 29), ones(0, 29), 'worse > 2 %', 'unsure'],
  ['a large loss of 30 items', ones(30, 30), ones(0, 30), 'worse > 2 %', 'failed'],
  ['all the same', ones(100, 100), ones(100, 100), 'worse > 5 %', 'passed'],
  ['no items', [], [], 'worse > 2 %', 'empty'],
  ['no common item', [1, 0, ...nothing(2)], [...nothing(2), 1, 0], 'worse > 2 %', 'empty'],
  // Own value
  ['a share surely below', ones(700, 1_000), ones(700, 1_000), 'below 80 %', 'failed'],
  ['a share surely above', ones(900, 1_000), ones(900, 1_000), 'below 80 %', 'passed'],
  ['a share near the limit', ones(800, 1_000), ones(800, 1_000), 'below 80 %', 'unsure'],
  ['an error rate above', ones(100, 1_000), ones(100, 1_000), 'above 5 %', 'failed'],
  ['an error rate below', ones(10, 1_000), ones(10, 1_000), 'above 5 %', 'passed'],
  ['a few items far below', ones(0, 10), ones(0, 10), 'below 80 %', 'unsure'],
  // Means
  ['a mean that fell by 0.5', spread(3, 1_000), spread(2.5, 1_000, 2), 'worse > 0.1', 'failed'],
  ['a mean that fell by 0.5 within 1', spread(3, 1_000), spread(2.5, 1_000, 2), 'worse > 1', 'passed'],
  ['a mean that fell by a sixth', spread(3, 1_000), spread(2.5, 1_000, 2), 'worse > 2 %', 'failed'],
  [
    'a mean that fell by a sixth within a half',
    spread(3, 1_000),
    spread(2.5, 1_000, 2),
    'worse > 50 %',
    'passed',
  ],
  ['a mean of few items', spread(3, 12), spread(2.9, 12, 2), 'worse > 0.1', 'unsure'],
  ['a mean below', spread(3, 1_000), spread(2.5, 1_000, 2), 'below 3', 'failed'],
  ['a mean above', spread(3, 1_000), spread(2.5, 1_000, 2), 'above 2', 'failed'],
  ['a mean not above', spread(3, 1_000), spread(2.5, 1_000, 2), 'above 3', 'passed'],
  ['one pair', [3], [2], 'worse > 0.1', 'unsure'],
  ['numbers too far apart', many(() => 1e308, 40), many(() => -1e308, 40), 'worse > 0.1', 'empty'],
  ['constant loss', many(() => 3, 100), many(() => 2, 100), 'worse > 0.5', 'failed'],
  ['constant loss at the limit', many(() => 3, 100), many(() => 2, 100), 'worse > 1', 'passed'],
  ['a mean that rose', spread(2, 1_000), spread(2.5, 1_000, 2), 'worse > 0', 'passed'],
  // Missing
  ['nothing missing', ones(10, 10), ones(10, 10), 'missing > 0', 'passed'],
  ['a tenth missing', ones(10, 10), [...ones(9, 9), null], 'missing > 5 %', 'failed'],
  ['a tenth missing at a tenth', ones(10, 10), [...ones(9, 9), null], 'missing > 10 %', 'passed'],
  ['nothing there', [], [], 'missing > 5 %', 'empty'],
  ['case and spaces', ones(900, 1_000), ones(700, 1_000), '  WORSE>2% ', 'failed'],
];

test.each(CASES)('%s', (_, before, after, rule, result) => {
  expect(decide(before, after, rule).decision.result).toBe(result);
});

test('a lower score that is better turns the rule', () => {
  expect(decide(ones(900, 1_000), ones(700, 1_000), 'worse > 2 %', true).decision.result).toBe('passed');
  expect(decide(ones(700, 1_000), ones(900, 1_000), 'worse > 2 %', true).decision.result).toBe('failed');
});

test.each(['', 'worse', 'worse > two', 'better > 2 %', 'worse < 2 %', 'worse > -1', 'below'])(
  '“%s” is no rule',
  (typed) => {
    expect(parseGateRule(typed)).toBeNull();
  },
);

test.each([
  ['worse > 2', 'share', 'for percent write 2 %'],
  ['above 40', 'share', 'for percent write 40 %'],
  ['missing > 5', null, 'for percent write 5 %'],
  ['missing > 5', 'mean', 'for percent write 5 %'],
  ['below 120 %', 'share', 'at most 100 %'],
  ['above 40 %', 'mean', 'without %'],
  ['below 2 points', 'mean', 'without points'],
  ['worse > 2 points', 'mean', 'no points'],
  ['worse > 2 %', 'mean', null],
  ['worse > 2', 'mean', null],
  ['worse > 2 %', 'share', null],
  ['worse > 1', 'share', null],
  ['missing > 5 %', 'mean', null],
  ['worse > 2', null, null],
] as const)('“%s” of a %s: %s', (typed, kind, problem) => {
  const rule = parseGateRule(typed);
  if (rule === null) throw new Error('Expected a rule.');
  const found = gateRuleProblem(rule, kind);
  if (problem === null) expect(found).toBeNull();
  else expect(found).toContain(problem);
});

test('a score that the later side lacks counts as missing', () => {
  const [lost] = scoresOfFiles(side(ones(10, 10)), side(nothing(10)), [], false);
  expect(lost).toMatchObject({ name: 'quality', counts: { missing: 10 } });
  expect(decide(ones(10, 10), nothing(10), 'missing > 5 %').decision.result).toBe('failed');
  expect(decide(ones(10, 10), nothing(10), 'worse > 2 %').decision.result).toBe('empty');
});

test('the worst result of several decides', () => {
  expect(wholeGate(['passed', 'unsure', 'failed', 'empty'])).toBe('failed');
  expect(wholeGate(['passed', 'empty', 'unsure'])).toBe('unsure');
  expect(wholeGate(['passed', 'empty'])).toBe('empty');
  expect(wholeGate(['passed'])).toBe('passed');
  expect(wholeGate([])).toBe('empty');
});

test('the words state the size, the interval, the limit and what would tell', () => {
  const said = (before: (number | null)[], after: (number | null)[], rule: string) => {
    const { decision, rule: parsed, score } = decide(before, after, rule);
    return checkText({ score: 'quality', rule, parsed, isShare: score?.figures?.kind === 'share', decision });
  };
  expect(said(ones(900, 1_000), ones(700, 1_000), 'worse > 2 %')).toMatch(
    /^quality, worse > 2 %: failed\. Worse by 20 points, 95 % sure: worse by 17\.\d+ to 22\.\d+ points; the limit is 2 points\. 1,000 items\.$/,
  );
  expect(said(ones(45, 50), ones(43, 50), 'worse > 2 %')).toMatch(
    /cannot tell.* About [\d,]+ more items would tell\.$/,
  );
  expect(said(ones(800, 1_000), ones(800, 1_000), 'below 80 %')).toMatch(
    /Now 80 %.* too near to the limit for any number of items\.$/,
  );
  expect(said([], [], 'worse > 2 %')).toBe(
    'quality, worse > 2 %: nothing to judge. No item has a number for this score in both.',
  );
  expect(said(ones(10, 10), [...ones(9, 9), null], 'missing > 5 %')).toBe(
    'quality, missing > 5 %: failed. Missing: 10 % of 10 items; the limit is 5 %.',
  );
  expect(said(ones(700, 1_000), ones(900, 1_000), 'worse > 0')).toMatch(
    /passed\. Better by 20 points, 95 % sure: better by 17/,
  );
  expect(said(ones(900, 1_000), ones(900, 1_000), 'worse > 2 %')).toMatch(/passed\. No difference/);
  expect(said(ones(45, 50), ones(43, 50), 'worse > 2 %')).toMatch(/from [\d.]+ better to [\d.]+ worse/);
});

test('a share of all or of none needs as many items as its interval does', () => {
  const { decision } = decide(ones(40, 40), ones(40, 40), 'below 95 %');
  expect(decision).toMatchObject({ result: 'unsure', more: expect.any(Number) });
  const items = 40 + (decision.more ?? 0);
  expect(decide(ones(items, items), ones(items, items), 'below 95 %').decision.result).toBe('passed');
  const fewer = Math.ceil(items * 0.8);
  expect(decide(ones(fewer, fewer), ones(fewer, fewer), 'below 95 %').decision.result).toBe('unsure');
  const none = decide(ones(0, 40), ones(0, 40), 'above 5 %').decision;
  expect(none.more).toBe(decision.more);
});

test('JUnit and Markdown have every check, and escape names', () => {
  const { decision, rule } = decide(ones(900, 1_000), ones(700, 1_000), 'worse > 2 %');
  const check = { score: 'a|b <"x">\u0001', rule: 'worse > 2 %', parsed: rule, isShare: true, decision };
  const passed = { ...check, score: 'fine', decision: { ...decision, result: 'passed' as const } };
  const answer = { before: 'a&b', after: 'c', result: 'failed' as const, checks: [check, passed] };
  const xml = gateJunit(answer);
  expect(xml).toContain(
    '<testsuite name="spandeck gate: a&amp;b → c" tests="2" failures="1" skipped="0" errors="0">',
  );
  expect(xml).toContain('<testcase classname="a|b &lt;&quot;x&quot;&gt;\ufffd" name="worse &gt; 2 %">');
  expect(xml).toContain('<testcase classname="fine" name="worse &gt; 2 %"/>');
  expect(gateMarkdown(answer)).toContain('| a\\|b <"x">\u0001 | worse > 2 % | failed | Worse by 20 points');
});

test('without a difference, at most 5.5 % of 1,000 gates fail', () => {
  const next = seededNumbers(7);
  let failed = 0;
  for (let run = 0; run < 1_000; run += 1) {
    const numbers = () => many(() => (next() < 0.8 ? 1 : 0), 200);
    if (decide(numbers(), numbers(), 'worse > 0').decision.result === 'failed') failed += 1;
  }
  expect(failed / 1_000).toBeLessThanOrEqual(0.055);
});

test('whatever the numbers: more loss never turns a failure into a pass, and the interval contains the value', () => {
  const share = fc.integer({ min: 0, max: 200 });
  fc.assert(
    fc.property(share, share, fc.integer({ min: 0, max: 50 }), (before, after, limit) => {
      const { decision } = decide(ones(before, 200), ones(after, 200), `worse > ${limit} %`);
      const { value, interval } = decision;
      const [low, high] = interval ?? [0, 0];
      expect(low).toBeLessThanOrEqual((value ?? 0) + 1e-12);
      expect(high).toBeGreaterThanOrEqual((value ?? 0) - 1e-12);
      const worse = decide(ones(before, 200), ones(Math.max(0, after - 20), 200), `worse > ${limit} %`);
      if (decision.result === 'failed') expect(worse.decision.result).not.toBe('passed');
    }),
  );
});
