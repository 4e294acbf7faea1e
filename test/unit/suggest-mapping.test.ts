/** The buckets that a suggested mapping assigns to the keys of spans. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { suggestMapping, unfilledFields, unseenFields } from '../../electron/core/spans/suggest-mapping.ts';
import { runs } from '../helpers/runs.ts';

/** Keys of common tools, each with the bucket that a user would choose. */
const LABELLED: [string, string, string?][] = [
  ['system.gen_ai.llm.input.system', 'inputs', 'system_prompt'],
  ['system.gen_ai.llm.input.user', 'inputs', 'question'],
  ['system.gen_ai.llm.context', 'inputs', 'context'],
  ['system.gen_ai.llm.output', 'expected_outputs', 'answer'],
  ['system.gen_ai.input.messages', 'inputs', 'messages'],
  ['system.gen_ai.output.messages', 'expected_outputs', 'messages'],
  ['system.gen_ai.request.model', 'metadata', 'model'],
  ['system.gen_ai.system', 'extras'],
  ['system.gen_ai.provider.name', 'metadata'],
  ['system.gen_ai.operation.name', 'metadata'],
  ['system.gen_ai.usage.input_tokens', 'extras', 'input_tokens'],
  ['system.gen_ai.usage.output_tokens', 'extras', 'output_tokens'],
  ['system.gen_ai.usage.total_tokens', 'extras', 'total_tokens'],
  ['system.gen_ai.agent.name', 'metadata'],
  ['system.gen_ai.agent.id', 'metadata'],
  ['system.gen_ai.conversation.id', 'metadata'],
  ['system.gen_ai.tool.name', 'metadata', 'tool_name'],
  ['system.gen_ai.tool.input', 'inputs', 'tool_input'],
  ['system.gen_ai.tool.output', 'expected_outputs', 'tool_output'],
  ['system.gen_ai.tool.definitions', 'metadata'],
  ['system.gen_ai.tool.call.id', 'metadata'],
  ['system.gen_ai.tool.call.arguments', 'inputs'],
  ['system.gen_ai.tool.call.result', 'expected_outputs'],
  ['user.cost_usd', 'extras', 'cost_usd'],
  ['user.retrieval.hits', 'extras'],
  ['user.intent', 'metadata', 'intent'],
  ['user.category', 'metadata', 'category'],
  ['user.expected_answer', 'expected_outputs'],
  ['user.ground_truth', 'expected_outputs'],
  ['user.latency_ms', 'extras'],
  ['user.language', 'metadata'],
  ['llm_input_user', 'inputs', 'question'],
  ['llm_output', 'expected_outputs', 'answer'],
  ['llm_context', 'inputs', 'context'],
  ['inputQuestion', 'inputs'],
  ['prompt', 'inputs'],
  ['completion', 'expected_outputs'],
  ['retrieved_documents', 'inputs'],
  ['model_name', 'metadata'],
  ['session_id', 'metadata'],
];

/** Keys of common instrumentations that contain output texts of a model or a tool. */
const OUTPUT_TEXTS = [
  'gen_ai.llm.output',
  'gen_ai.output.messages',
  'gen_ai.completion',
  'gen_ai.completion.0.content',
  'gen_ai.tool.call.result',
  'output.value',
  'llm.output_messages.0.message.content',
  'llm.completions',
  'traceloop.entity.output',
  'ai.response.text',
  'mlflow.spanOutputs',
  'langfuse.observation.output',
  'expected_answer',
];
/** Other keys of these tools, although most of their names contain a word for an output. */
const NO_OUTPUT_TEXTS = [
  'gen_ai.request.model',
  'gen_ai.response.model',
  'gen_ai.response.id',
  'gen_ai.response.finish_reasons',
  'gen_ai.completion.0.finish_reason',
  'gen_ai.completion.0.role',
  'gen_ai.completion.0.tool_calls.0.name',
  'gen_ai.completion.0.tool_calls.0.arguments',
  'gen_ai.output.type',
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'gen_ai.usage.completion_tokens_details.reasoning_tokens',
  'gen_ai.openai.response.system_fingerprint',
  'gen_ai.response.timestamp',
  'gen_ai.prompt.0.content',
  'gen_ai.prompt.0.role',
  'llm.model_name',
  'llm.response.model_name',
  'llm.token_count.completion',
  'llm.token_count.prompt',
  'llm.cost.completion',
  'llm.output_messages.0.message.role',
  'llm.output_messages.0.message.tool_calls.0.tool_call.function.name',
  'llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments',
  'llm.response.stop_reason',
  'output.mime_type',
  'input.value',
  'traceloop.entity.input',
  'traceloop.span.kind',
  'openinference.span.kind',
  'ai.response.finishReason',
  'ai.response.model',
  'ai.response.msToFirstChunk',
  'ai.response.avgCompletionTokensPerSecond',
  'ai.response.timestamp',
  'http.response.status_code',
  'http.response.body',
  'db.response.returned_rows',
  'guardrail.output',
  'evaluation.result',
  'answer_relevance',
  'response_time',
  'output_length',
  'result_count',
];

describe('a suggested mapping', () => {
  test('puts every key of a labelled set into the bucket the user would choose, one by one', () => {
    const wrong = LABELLED.filter(([key, bucket, field]) => {
      const [entry] = suggestMapping([{ key, count: 1 }], {});
      return entry?.bucket !== bucket || (field !== undefined && entry.field !== field);
    });
    expect(wrong.map(([key]) => key)).toEqual([]);
  });

  test('uses every key once and gives every field one key, also if names collide', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom(...LABELLED.map(([key]) => key), 'a.b', 'user.b', 'b')),
        (keys) => {
          const entries = suggestMapping(
            keys.map((key, index) => ({ key, count: index })),
            {},
          );
          const places = entries.map(({ bucket, field }) => `${bucket} ${field}`);
          expect(new Set(places).size).toBe(places.length);
          expect(entries.every(({ field }) => field !== '')).toBe(true);
          // A key that no span has is not offered.
          expect(entries.map(({ key }) => key)).not.toContain(keys[0]);
        },
      ),
    );
  });

  test('fills the fields of the dataset first, and lists the ones that stay empty', () => {
    const known = { inputs: ['question', 'locale'], expected_outputs: ['reply'], metadata: ['intent'] };
    const keys = ['system.gen_ai.llm.input.user', 'user.reply', 'user.intent'].map((key) => ({
      key,
      count: 1,
    }));
    const entries = suggestMapping(keys, known);
    expect(entries).toMatchObject([
      { bucket: 'inputs', field: 'question', key: 'system.gen_ai.llm.input.user' },
      { bucket: 'metadata', field: 'intent', key: 'user.intent' },
      { bucket: 'expected_outputs', field: 'reply', key: 'user.reply' },
    ]);
    expect(unfilledFields(entries, known)).toEqual([{ bucket: 'inputs', field: 'locale' }]);
    expect(unseenFields(entries, known)).toEqual([]);
    const tone = { bucket: 'extras', field: 'tone', key: 'reply.tone' } as const;
    expect(unseenFields([...entries, tone], known)).toEqual([{ bucket: 'extras', field: 'tone' }]);
    // If a dataset has no items, its fields are unknown.
    expect(unseenFields([tone], { extras: [] })).toEqual([]);
  });

  test('puts only output texts into expected outputs, for every instrumentation', () => {
    const offered = [...OUTPUT_TEXTS, ...NO_OUTPUT_TEXTS];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(offered),
        fc.constantFrom('', 'system.', 'user.'),
        // Fields that an earlier suggestion added to the expected outputs.
        fc.shuffledSubarray(['answer', 'model', 'finish_reasons', 'input_tokens', 'id', 'mime_type']),
        (names, origin, expected_outputs) => {
          const keys = names.map((name) => ({ key: `${origin}${name}`, count: 3 }));
          const entries = suggestMapping(keys, { expected_outputs });
          const texts = new Set(OUTPUT_TEXTS.map((name) => `${origin}${name}`));
          const expected = entries.filter(({ bucket }) => bucket === 'expected_outputs');
          expect(expected.map(({ key }) => key).filter((key) => !texts.has(key))).toEqual([]);
          expect(new Set(entries.map(({ key }) => key)).size).toBe(entries.length);
          const places = entries.map(({ bucket, field }) => `${bucket} ${field}`);
          expect(new Set(places).size).toBe(places.length);
        },
      ),
      { numRuns: runs(300) },
    );
  });

  test('puts each output text into expected outputs, and names the words that decided', () => {
    const placed = OUTPUT_TEXTS.flatMap((key) => suggestMapping([{ key, count: 1 }], {}));
    expect(placed.filter(({ bucket }) => bucket !== 'expected_outputs')).toEqual([]);
    expect(placed.find(({ key }) => key === 'ai.response.text')?.reason).toBe('By its name: response, text.');
  });

  test('gives messages of a list distinct names', () => {
    const keys = [0, 1].map((at) => ({ key: `gen_ai.prompt.${at}.content`, count: 2 }));
    expect(suggestMapping(keys, {}).map(({ field }) => field)).toEqual([
      'prompt_0_content',
      'prompt_1_content',
    ]);
  });
});

test('at most 60 fields are suggested, and a dataset without fields lacks none', () => {
  const keys = Array.from({ length: 70 }, (_, index) => ({ key: `user.fact_${index}_x`, count: 1 }));
  expect(suggestMapping(keys, {})).toHaveLength(60);
  expect(unfilledFields([], {})).toEqual([]);
});

test('a key whose only name is taken is left out', () => {
  const keys = [
    { key: 'system.alpha', count: 2 },
    { key: 'alpha', count: 1 },
  ];
  expect(suggestMapping(keys, {}).map(({ key, field }) => [key, field])).toEqual([['system.alpha', 'alpha']]);
});
