/** The dry run of an evaluator rule: which spans match, which inputs are missing, and how it is said. */
import { expect, test } from 'vitest';
import { DryRun, readRuleFilters, spanKeysOf } from '../../electron/core/spans/rule-dry-run.ts';
import {
  draftOfRule,
  dryRunSentences,
  type RuleDraft,
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
  const run = new DryRun(draft(changes), 2);
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

test('cuts long inputs, and writes those that are no text as JSON', () => {
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
  // How several rules combine is not said.
  [{ rules: [rule('Span::name', 'a'), rule('Span::name', 'b')] }, 'all'],
  // Part of an alternative cannot be left out.
  [{ condition: 'OR', rules: [rule('Span::name', 'a'), { kind: 'llm' }] }, 'all'],
  [{ condition: 'NOR', rules: [rule('Span::name', 'a')] }, 'all'],
  [{ condition: 'AND', rules: [rule('Span::colour', 'red')] }, [JSON.stringify(rule('Span::colour', 'red'))]],
] as const)('of the filter %j is not applied: %j', (filters, ignored) => {
  const read = readRuleFilters(filters);
  expect(read.ignored).toEqual(ignored === 'all' ? [JSON.stringify(filters)] : ignored);
  expect(read.filter).toBeNull();
});

test('applies the understood part of a conjunction, and says that fewer spans may match', () => {
  const filters = { condition: 'AND', rules: [rule('Span::span_type', 'tool'), { kind: 'llm' }] };
  const run = tried([span(1), span(2, { span_type: 'tool' })], { filters });
  expect(run).toMatchObject({ matching: 1, ignoredFilters: ['{"kind":"llm"}'] });
  expect(dryRunSentences(run)).toContain(
    'Not applied, because the form of this filter is not published: {"kind":"llm"}. Fewer spans may match.',
  );
});

test('says how much matches, what is missing, and that more is stored', () => {
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
  [Number.NaN, 'The rule takes everything that matches.'],
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
  ).toEqual({ applicationId: 'a', filters: null, mappedInputKeys: { response: 'x' }, samplingRate: 0.5 });
  expect(draftOfRule({ application_id: 'b' })).toMatchObject({ applicationId: 'b', mappedInputKeys: {} });
  expect(draftOfRule({ name: 'Without' })).toBeNull();
});
