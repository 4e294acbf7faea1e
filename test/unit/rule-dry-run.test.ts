/** The dry run of an evaluator rule: the matching spans, the missing inputs, and the texts of the window about them. */
import { expect, test } from 'vitest';
import { DryRun, FieldSearch, readRuleFilters, spanKeysOf } from '../../electron/core/spans/rule-dry-run.ts';
import {
  draftOfRule,
  dryRunSentences,
  type RuleDraft,
  ruleProblem,
  samplingSentence,
} from '../../electron/shared/rule-dry-run.ts';

const OUTPUT = 'system.gen_ai.llm.output';
const span = (
  id: number,
  fields: Record<string, unknown> = {},
  attributes: Record<string, unknown> = {},
) => ({
  ...{ span_id: `s${id}`, trace_id: `t${id % 3}`, name: 'draft', span_type: 'llm' },
  ...fields,
  span_attributes: { [OUTPUT]: `Answer ${id}`, ...attributes },
});
const rule = (field: string, value: unknown, operator = 'equal') => ({ field, operator, value });
const draft = (changes: Partial<RuleDraft> = {}): RuleDraft => ({
  ...{ applicationId: 'a', filters: { rules: [] }, samplingRate: 1 },
  mappedInputKeys: { response: 'fiddler.contents.gen_ai.llm.output' },
  ...changes,
});
function tried(spans: Record<string, unknown>[], changes: Partial<RuleDraft> = {}, isCut = false) {
  const rule = draft(changes);
  const search = new FieldSearch(rule.filters);
  for (const each of spans) search.add(each);
  const run = new DryRun(rule, 2, search.isKnown);
  for (const each of spans) run.add(each);
  return run.result(isCut);
}

test.each([
  ['fiddler.contents.gen_ai.llm.output', OUTPUT],
  ['fiddler.span.user.tenant', 'user.tenant'],
  ['fiddler.span.system.gen_ai.usage.output_tokens', 'system.gen_ai.usage.output_tokens'],
  ['fiddler.session.user.plan', 'user.plan'],
  ['gen_ai.system', 'system.gen_ai.system'],
  ['gen_ai.system', 'gen_ai.system'],
  ['user.tenant', 'user.tenant'],
])('%s is found as %s', (path, key) => {
  expect(spanKeysOf(path)).toContain(key);
});

test('counts each span once, its traces and missing inputs, and shows the first rows', () => {
  const spans = [span(1), span(2), span(2), span(3, {}, { [OUTPUT]: '' }), span(4, {}, { [OUTPUT]: null })];
  const run = tried([...spans, span(4, {}, {})]);
  expect(run).toMatchObject({ spans: 4, matching: 4, traces: 3, incomplete: 2 });
  expect(run.inputs).toEqual([
    { name: 'response', path: 'fiddler.contents.gen_ai.llm.output', foundAs: [OUTPUT], missing: 2 },
  ]);
  expect(run.rows).toEqual([
    { spanId: 's1', traceId: 't1', name: 'draft', startTime: null, inputs: ['Answer 1'] },
    { spanId: 's2', traceId: 't2', name: 'draft', startTime: null, inputs: ['Answer 2'] },
  ]);
});

test('shows the start of a span as it came, and no name that is not a text', () => {
  const { rows, inputs } = tried([span(1, { name: 7, start_time: '2026-11-01T00:00:00Z' })], {
    mappedInputKeys: { odd: 3 },
  });
  expect(rows).toMatchObject([{ name: '', startTime: '2026-11-01T00:00:00Z', inputs: [null] }]);
  expect(inputs).toEqual([{ name: 'odd', path: '3', foundAs: [], missing: 1 }]);
});

test('a group that holds something else than rules is named as not applied', () => {
  const run = tried([span(1)], { filters: { condition: 'OR', rules: [{ condition: 'AND', rules: [5] }] } });
  expect(run.matching).toBe(1);
  expect(run.ignoredFilters).toHaveLength(1);
});

test('cuts long inputs, and writes those that are not text as JSON', () => {
  const { rows } = tried([
    span(1, {}, { [OUTPUT]: 'x'.repeat(5_000) }),
    span(2, {}, { [OUTPUT]: { a: [1] } }),
  ]);
  expect(rows[0]?.inputs[0]).toHaveLength(300);
  expect(rows[1]?.inputs[0]).toBe('{"a":[1]}');
});

test('selects by columns, attributes and paths of a rule', () => {
  const spans = [span(1), span(2, { span_type: 'tool' }), span(3, {}, { 'user.tenant': 'north' })];
  const matching = (...rules: unknown[]) => tried(spans, { filters: { condition: 'AND', rules } }).matching;
  expect(matching(rule('Span::span_type', 'llm'))).toBe(2);
  expect(matching(rule('Span::span_type', 'llm', 'eq'))).toBe(2);
  expect(matching(rule('SpanAttribute::user.tenant', 'north'))).toBe(1);
  expect(matching(rule('fiddler.span.user.tenant', 'north'))).toBe(1);
  expect(
    matching(rule('Span::span_type', ['tool', 'llm'], 'in'), rule('fiddler.span.user.tenant', 'x')),
  ).toBe(0);
  const either = { condition: 'OR', rules: [rule('Span::span_type', 'tool'), rule('Span::span_id', 's1')] };
  expect(tried(spans, { filters: either }).matching).toBe(2);
  expect(matching(either, rule('Span::span_type', 'tool'))).toBe(1);
});

test.each([
  [null, []],
  [{}, []],
  [{ rules: [] }, []],
  ['llm', ['"llm"']],
  [{ span_type: ['llm'] }, ['{"span_type":["llm"]}']],
  // An unknown key beside the rules is named, as it can change what the rules mean.
  [{ rules: [], span_type: 'LLM' }, ['{"span_type":"LLM"}']],
  [{ rules: [], time_range: { days: 1 }, not: true }, ['{"time_range":{"days":1}}', '{"not":true}']],
  [
    { condition: 'AND', rules: [rule('Span::name', 'a')], not: true },
    ['{"not":true}', JSON.stringify({ condition: 'AND', rules: [rule('Span::name', 'a')] })],
  ],
  [
    { condition: 'AND', rules: [{ ...rule('Span::name', 'a'), not: true }] },
    [JSON.stringify({ ...rule('Span::name', 'a'), not: true })],
  ],
  [
    { condition: 'AND', rules: [{ condition: 'OR', rules: [rule('Span::name', 'a')], not: true }] },
    [JSON.stringify({ condition: 'OR', rules: [rule('Span::name', 'a')], not: true })],
  ],
  [
    { condition: 'AND', rules: [rule('Span::name', false, 'is_null')] },
    [JSON.stringify(rule('Span::name', false, 'is_null'))],
  ],
  [{ rules: 'all' }, ['{"rules":"all"}']],
  // It is not stated how several rules are combined.
  [{ rules: [rule('Span::name', 'a'), rule('Span::name', 'b')] }, 'all'],
  // A part of an alternative cannot be ignored.
  [{ condition: 'OR', rules: [rule('Span::name', 'a'), { kind: 'llm' }] }, 'all'],
  [{ condition: 'NOR', rules: [rule('Span::name', 'a')] }, 'all'],
  [{ condition: 'AND', rules: [rule('Span::colour', 'red')] }, [JSON.stringify(rule('Span::colour', 'red'))]],
] as const)('of the filter %j is not applied: %j', (filters, ignored) => {
  const read = readRuleFilters(filters, () => true);
  expect(read.ignored).toEqual(ignored === 'all' ? [JSON.stringify(filters)] : ignored);
  expect(read.filter).toBeNull();
});

test('reads a column without its scope, and does not apply a field that no span has', () => {
  const spans = [
    span(1),
    span(2, { span_type: 'tool' }),
    span(3, { name: 'plan' }, { 'user.tenant': 'north' }),
  ];
  const of = (...rules: unknown[]) => tried(spans, { filters: { condition: 'AND', rules } });
  expect(of(rule('name', 'draft'))).toMatchObject({ matching: 2, ignoredFilters: [] });
  expect(of(rule('span_type', 'tool'))).toMatchObject({ matching: 1, ignoredFilters: [] });
  expect(of(rule('user.tenant', 'north'))).toMatchObject({ matching: 1, ignoredFilters: [] });
  const odd = rule('span.name', 'draft');
  expect(of(odd, rule('span_type', 'tool'))).toMatchObject({
    matching: 1,
    ignoredFilters: [JSON.stringify(odd)],
  });
  // No stored span has this column, so the rule cannot be checked here.
  expect(of(rule('Span::duration', 5, 'greater'))).toMatchObject({ matching: 3 });
  const either = { condition: 'OR', rules: [odd, rule('name', 'plan')] };
  expect(of(either)).toMatchObject({ matching: 3, ignoredFilters: [JSON.stringify(either)] });
  // An attribute with its published scope is understood even if no span has it.
  expect(of(rule('SpanAttribute::user.colour', 'red'))).toMatchObject({ matching: 0, ignoredFilters: [] });
});

test('applies the understood part of a conjunction, and says that fewer spans may match', () => {
  const filters = { condition: 'AND', rules: [rule('Span::span_type', 'tool'), { kind: 'llm' }] };
  const run = tried([span(1), span(2, { span_type: 'tool' })], { filters });
  expect(run).toMatchObject({ matching: 1, ignoredFilters: ['{"kind":"llm"}'] });
  expect(dryRunSentences(run)).toContain(
    'Not applied, because the form of this filter is not published: {"kind":"llm"}. Fewer spans may match.',
  );
});

test('says how many spans match, which inputs are missing, and that more spans are stored', () => {
  expect(dryRunSentences(tried([]))[0]).toContain('No spans of this application are stored');
  const spans = Array.from({ length: 12 }, (_, id) => span(id));
  expect(dryRunSentences(tried(spans, { samplingRate: 0.1 }, true))).toEqual([
    '12 of 12 stored spans match, in 3 traces.',
    'More spans are stored; they were not looked at.',
    'Each of them has all inputs.',
    'The rule takes a 10 % sample of what matches: about 0 of 3 traces.',
  ]);
  expect(dryRunSentences(tried(spans, { mappedInputKeys: { context: 'no.such.key' } }))[1]).toBe(
    'None of them has all inputs.',
  );
  expect(dryRunSentences(tried([...spans, span(20, {}, { [OUTPUT]: '' })]))[1]).toBe(
    '1 of them lacks an input.',
  );
  expect(dryRunSentences(tried([span(1)]))[0]).toBe('1 of 1 stored span matches, in 1 trace.');
});

test.each([
  [null, 'The rule does not say whether it takes a sample.'],
  [1, 'The rule takes everything that matches.'],
  [10, 'The sampling rate of the rule is not a share from 0 to 1 (10): how much it takes is not known.'],
  [-1, 'The sampling rate of the rule is not a share from 0 to 1 (-1): how much it takes is not known.'],
  [
    'much',
    'The sampling rate of the rule is not a share from 0 to 1 (much): how much it takes is not known.',
  ],
  [0.005, 'The rule takes a 0.5 % sample of what matches: about 5 of 1,000 traces.'],
])('a sampling rate of %j', (samplingRate, words) => {
  expect(samplingSentence({ samplingRate, traces: 1_000 })).toBe(words);
});

test('reads a draft from the record of a rule and from the body of a new one', () => {
  expect(
    draftOfRule({
      application: { id: 'a', name: 'Support' },
      mapped_input_keys: { response: 'x', odd: 3 },
      sampling_rate: 0.5,
    }),
  ).toEqual({
    ...{ applicationId: 'a', filters: null, samplingRate: 0.5 },
    mappedInputKeys: { response: 'x', odd: 3 },
  });
  const rate = (sampling_rate: unknown) => draftOfRule({ application_id: 'a', sampling_rate })?.samplingRate;
  expect([rate('0.25'), rate('a quarter'), rate({ of: 4 }), rate(10)]).toEqual([
    ...[0.25, 'a quarter', '{"of":4}', 10],
  ]);
  expect(draftOfRule({ application_id: 'b' })).toMatchObject({ applicationId: 'b', mappedInputKeys: {} });
  expect(draftOfRule({ name: 'Without' })).toBeNull();
});

test('an input whose path is not text is missing in every span', () => {
  const run = tried([span(1), span(2)], { mappedInputKeys: { response: OUTPUT, odd: ['x'] } });
  expect(run).toMatchObject({ matching: 2, incomplete: 2 });
  expect(run.inputs[1]).toEqual({ name: 'odd', path: '["x"]', foundAs: [], missing: 2 });
});

test.each([
  [{}, null],
  [{ mapped_input_keys: { response: 'x' }, sampling_rate: 1 }, null],
  [{ mapped_input_keys: { odd: 3 } }, 'expected the path of the input odd as a text, got 3'],
  [{ mapped_input_keys: ['x'] }, 'expected mapped_input_keys as an object, got ["x"]'],
  [{ sampling_rate: 10 }, 'expected a sampling rate from 0 to 1, got 10'],
  [{ sampling_rate: -1 }, 'expected a sampling rate from 0 to 1, got -1'],
  [{ sampling_rate: '0.5' }, 'expected a sampling rate from 0 to 1, got "0.5"'],
])('a typed rule with %j: %s', (record, problem) => {
  expect(ruleProblem(record)).toBe(problem);
});
