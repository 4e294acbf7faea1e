import { expect, test } from 'vitest';
import { whole } from '../../electron/shared/pieces.ts';
import { spanPlace, spanTree } from '../../electron/shared/span-tree.ts';
import { sumUsage, usageOf } from '../../electron/shared/span-usage.ts';
import { usageFacts } from '../../renderer/lib/span-usage-words.ts';

type Fields = Record<string, unknown>;
const span = (id: string, parent: string | null, attributes: Fields, type = 'agent') => {
  const record = { span_id: id, parent_span_id: parent, span_attributes: attributes };
  return { ...spanPlace(record), traceId: 't', type, usage: usageOf(record) };
};
const call = (id: string, parent: string | null, input: number, output: number, cost?: number) =>
  span(
    id,
    parent,
    {
      'gen_ai.usage.input_tokens': input,
      'gen_ai.usage.output_tokens': output,
      ...(cost === undefined ? {} : { cost_usd: cost }),
    },
    'LLM',
  );
const sum = (...spans: ReturnType<typeof span>[]) => whole(sumUsage(whole(spanTree(spans)).roots));

test('adds the calls of a trace', () => {
  const used = sum(span('root', null, {}), call('a', 'root', 100, 20, 0.01), call('b', 'root', 50, 5, 0.02));
  expect(used).toEqual({ inputTokens: 150, outputTokens: 25, tokens: 175, costUsd: 0.03, nested: 0 });
});

test('counts a call once if the spans of the framework and of the client state it', () => {
  const used = sum(
    call('agent', null, 150, 25),
    call('outer', 'agent', 100, 20),
    call('inner', 'outer', 100, 20),
  );
  expect(used).toMatchObject({ inputTokens: 150, outputTokens: 25, tokens: 175, nested: 2 });
});

test('counts the larger figure if the spans below state a part, or more than the span above', () => {
  expect(sum(call('agent', null, 150, 25), call('a', 'agent', 100, 20))).toMatchObject({ tokens: 175 });
  const more = sum(call('agent', null, 10, 1), call('a', 'agent', 100, 20), call('b', 'agent', 100, 20));
  expect(more).toMatchObject({ inputTokens: 200, outputTokens: 40, tokens: 240, nested: 1 });
});

test('sums each figure for itself, and leaves unknown ones out', () => {
  const used = sum(
    span('agent', null, { cost_usd: 0.5 }),
    span('a', 'agent', { 'gen_ai.usage.total_tokens': 70 }, 'llm'),
    span('b', 'agent', { 'gen_ai.usage.output_tokens': '-3', cost_usd: 'free' }),
  );
  expect(used).toEqual({ inputTokens: null, outputTokens: null, tokens: 70, costUsd: 0.5, nested: 0 });
  expect(sum(span('root', null, {}))).toMatchObject({ tokens: null, costUsd: null });
});

test('leaves out an agent that is not linked to its calls, and counts agents without calls', () => {
  const agent = (id: string) => span(id, 'gone', { 'gen_ai.usage.total_tokens': 240 });
  const calls = [call('a', 'also gone', 100, 20), call('b', 'also gone', 100, 20)];
  expect(sum(agent('x'), ...calls)).toMatchObject({ tokens: 240, nested: 1 });
  expect(sum(agent('x'), agent('y'))).toMatchObject({ tokens: 480, nested: 0 });
});

test('counts the cost of a tool and tokens of a reranker beside the tokens of calls', () => {
  const tool = span('tool', 'root', { cost_usd: 0.05 }, 'tool');
  const reranker = span('reranker', 'root', { 'gen_ai.usage.input_tokens': 7 }, 'reranker');
  const agent = span('agent', 'gone', { cost_usd: 0.2, 'gen_ai.usage.input_tokens': 100 });
  expect(sum(call('llm', 'root', 100, 20), tool, reranker)).toMatchObject({
    ...{ inputTokens: 107, costUsd: 0.05, nested: 0 },
  });
  // The calls state no cost, so only the cost of the agent is known.
  expect(sum(call('llm', 'root', 100, 20), agent)).toMatchObject({
    inputTokens: 100,
    costUsd: 0.2,
    nested: 1,
  });
  expect(sum(span('blank', null, { cost_usd: ' ' }))).toMatchObject({ costUsd: null });
});

test('sums a chain of 50,000 nested spans', () => {
  const chain = Array.from({ length: 50_000 }, (_, at) =>
    call(`s${at}`, at === 0 ? null : `s${at - 1}`, 7, 1),
  );
  expect(sum(...chain)).toMatchObject({ tokens: 8, nested: 49_999 });
});

test('usage is shown with input and output tokens, the cost and the figures that were not added', () => {
  const used = sum(call('outer', null, 2_900, 500, 0.02), call('inner', 'outer', 2_900, 500));
  expect(usageFacts(used)).toEqual([
    '3,400 tokens (2,900 in, 500 out)',
    '$0.02',
    '1 repeated figure left out',
  ]);
  expect(usageFacts(sum(span('root', null, {})))).toEqual([]);
});
