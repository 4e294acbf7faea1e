/** The decision of a gate: cases in a table, the texts, and how often the gate fails although nothing differs. */
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
import { CASES, many, nothing, ones, tracesOf } from '../helpers/gate-cases.ts';

type Side = Map<string, Record<string, { name: string; value: number | null; label: null; reasoning: null }>>;

/** Returns a side whose items have these numbers; an item with null has no score. */
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
  traces: ReadonlyMap<string, string> = new Map(),
) {
  const rule = parseGateRule(typed);
  if (rule === null) throw new Error(`Expected a rule, got ${typed}.`);
  const [score] = scoresOfFiles(side(before), side(after), { names: [], lowerIsBetter, traces });
  const counts = score?.counts;
  const all = counts === undefined ? 0 : Object.values(counts).reduce((sum, count) => sum + count, 0);
  const facts = { figures: score?.figures ?? null, missing: counts?.missing ?? 0, all, lowerIsBetter };
  return { rule, score, decision: decideGate(rule, facts) };
}

test.each(CASES)('$name', ({ sides: [before, after], rule, result, ofOneTrace = 1 }) => {
  const traces = tracesOf(before.length, ofOneTrace);
  expect(decide(before, after, rule, false, traces).decision.result).toBe(result);
});

test('the rule is reversed for a score whose lower values are better', () => {
  expect(decide(ones(900, 1_000), ones(700, 1_000), 'worse > 2 %', true).decision.result).toBe('passed');
  expect(decide(ones(700, 1_000), ones(900, 1_000), 'worse > 2 %', true).decision.result).toBe('failed');
});

test('a score of the earlier file without any number and label is missing in every item, and not skipped', () => {
  const none = new Map([['a', { quality: { name: 'quality', value: null, label: null, reasoning: null } }]]);
  const found = scoresOfFiles(none, side([1]), { names: [], lowerIsBetter: false, traces: new Map() });
  expect(found).toMatchObject([{ name: 'quality', figures: null, counts: { missing: 2, same: 0 } }]);
});

test.each(['', 'worse', 'worse > two', 'better > 2 %', 'worse < 2 %', 'worse > -1', 'below'])(
  '“%s” is not a rule',
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
  const [lost] = scoresOfFiles(side(ones(10, 10)), side(nothing(10)), {
    ...{ names: [], lowerIsBetter: false, traces: new Map() },
  });
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
    return checkText({
      score: 'quality',
      rule,
      parsed,
      isShare: score?.figures?.kind === 'share',
      hasLabels: false,
      decision,
    });
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

test('items of one trace count together: ten of them tell little more than one', () => {
  const [before, after] = [ones(300, 300), ones(270, 300)];
  expect(decide(before, after, 'worse > 2 %').decision.result).toBe('failed');
  const together = decide(before, after, 'worse > 2 %', false, tracesOf(300, 10));
  expect(together.score?.figures?.clusters).toBe(30);
  expect(together.decision).toMatchObject({ result: 'unsure', value: 0.1 });
  expect(together.decision.more).toBeGreaterThan(0);
});

test('without a difference, at most 5.5 % of 1,000 gates over traces fail', () => {
  const next = seededNumbers(11);
  const traces = tracesOf(200, 5);
  let failed = 0;
  for (let run = 0; run < 1_000; run += 1) {
    // Items of the same trace usually have the same answer.
    const numbers = () =>
      Array.from({ length: 40 }, () => (next() < 0.8 ? 1 : 0)).flatMap((usual) =>
        many(() => (next() < 0.9 ? usual : 1 - usual), 5),
      );
    if (decide(numbers(), numbers(), 'worse > 0', false, traces).decision.result === 'failed') failed += 1;
  }
  expect(failed / 1_000).toBeLessThanOrEqual(0.055);
});

test('JUnit and Markdown have every check, and escape names', () => {
  const { decision, rule } = decide(ones(900, 1_000), ones(700, 1_000), 'worse > 2 %');
  const check = {
    score: 'a|b <"x">\u0001',
    rule: 'worse > 2 %',
    parsed: rule,
    isShare: true,
    hasLabels: false,
    decision,
  };
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
