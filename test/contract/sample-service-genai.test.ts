/** Spans, datasets made from spans, and scores together; by raw HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { ALL_TIME, makeDataset, querySpans, someSpans, spanQuery } from './sample-service-cases/datasets.ts';
import { all, field, list, rule, type Sending, World } from './sample-service-cases/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.start({ clock: new VirtualClock() });
});
afterAll(() => world.stop());

const spans = (rest?: Record<string, unknown>) => querySpans(world, rest);

describe('span queries', () => {
  it('page through every span once, newest first, and in another ordering', async () => {
    for (const rest of [{}, { ordering: 'start_time' }, { ordering: '-duration,span_id' }]) {
      const seen: unknown[] = [];
      const total = Number(field(await spans({ page_size: 1 }), 'total'));
      for (let offset = 0; offset < total; offset += 700) {
        seen.push(...list(field(await spans({ ...rest, page_size: 700, offset }), 'items')));
      }
      expect(new Set(seen.map((span) => field(span, 'span_id'))).size).toBe(total);
      const column =
        'ordering' in rest && rest.ordering?.includes('duration') === true ? 'duration' : 'start_time';
      const values = seen.map((span) => field(span, column)) as (string | number)[];
      const sign = 'ordering' in rest && rest.ordering === 'start_time' ? 1 : -1;
      const sorted = values.toSorted((a, b) => (a < b ? -sign : a > b ? sign : 0));
      expect(values).toEqual(sorted);
    }
  });

  it('include the start, exclude the end, and filter by columns and attributes', async () => {
    const [first] = list(field(await spans({ page_size: 1, ordering: 'start_time' }), 'items'));
    const start = String(field(first, 'start_time'));
    const next = new Date(Date.parse(start) + 1).toISOString();
    expect(field(await spans({ start_time: start, end_time: next }), 'total')).toBeGreaterThan(0);
    expect(field(await spans({ start_time: '2000-01-01', end_time: start }), 'total')).toBe(0);
    const found = await spans(
      all(
        rule('Span::span_type', 'llm'),
        rule('SpanAttribute::system.gen_ai.usage.input_tokens', 60, 'greater'),
      ),
    );
    expect(field(found, 'total')).toBeGreaterThan(0);
    for (const span of list(field(found, 'items'))) {
      expect(field(span, 'span_type')).toBe('llm');
      expect(Object(field(span, 'span_attributes'))['system.gen_ai.usage.input_tokens']).toBeGreaterThan(60);
    }
  });

  it.each([
    ['a field without its prefix', all(rule('span_type', 'llm'))],
    ['an unknown column', all(rule('Span::colour', 'red'))],
    ['an unknown operator', all(rule('Span::name', 'x', 'resembles'))],
    [
      'four levels',
      all({ condition: 'OR', rules: [{ condition: 'OR', rules: [{ condition: 'OR', rules: [] }] }] }),
    ],
    ['eleven rules', all(...Array.from({ length: 11 }, () => rule('Span::name', 'x')))],
    ['an ordering by nothing it has', { ordering: '-colour' }],
    ['a range that ends before it begins', { start_time: '2025-02-01', end_time: '2025-01-01' }],
    ['a page of nothing', { page_size: 0 }],
  ])('reject %s', async (_title, rest) => {
    expect((await world.send('spans.query', spanQuery(world, rest))).status).toBe(400);
  });

  it('count the attribute keys of the selected spans', async () => {
    const filter = all(rule('Span::span_type', 'tool'));
    const fields = field(await world.done('spans.fields', spanQuery(world, filter)), 'data');
    const total = field(await spans({ ...filter, page_size: 1 }), 'total');
    expect(fields).toMatchObject({ total_spans: total, sampled: false });
    const counts = new Map(
      list(field(fields, 'span_attributes')).map((entry) => [field(entry, 'key'), field(entry, 'count')]),
    );
    expect(counts.get('system.gen_ai.tool.name')).toBe(total);
    expect(counts.get('user.retrieval.hits')).toBeLessThan(Number(total));
    expect(counts.has('system.gen_ai.llm.output')).toBe(false);
    const outputs = field(await world.done('spans.fields', spanQuery(world)), 'data.evaluator_outputs');
    expect(outputs).toMatchObject([{ rule_name: 'Answer relevance', output_name: 'is_answer_relevant' }]);
  });
});

describe('items from spans', () => {
  const mapping = {
    inputs: { intent: 'user.intent' },
    extras: { tokens: 'system.gen_ai.usage.total_tokens', none: 'no.such.key' },
  };
  const sending = (datasetId: string, refs: unknown[], rest: Record<string, unknown> = {}): Sending => ({
    parameters: { dataset_id: datasetId },
    body: { application_id: world.ids.application, ...ALL_TIME, spans: refs, mapping, ...rest },
  });

  it('write one item for each span with the values that the mapping names', async () => {
    const dataset = await makeDataset(world);
    const { items } = Object(await spans({ ...all(rule('Span::span_type', 'llm')), page_size: 200 }));
    const refs = list(items).map((span) => ({
      trace_id: field(span, 'trace_id'),
      span_id: field(span, 'span_id'),
    }));
    const answer = await world.done('datasets.add-spans', sending(dataset, refs));
    expect(list(field(answer, 'data.items'))).toHaveLength(200);
    const stored = field(
      await world.done('datasets.items', { parameters: { dataset_id: dataset }, query: '?limit=500' }),
      'data.items',
    );
    expect(list(stored)).toHaveLength(200);
    for (const [index, item] of list(stored).entries()) {
      const attributes = Object(field(list(items)[index], 'span_attributes'));
      expect(field(item, 'id')).toBe(field(answer, `data.items.${index}.item_id`));
      expect(field(item, 'inputs')).toEqual({ intent: attributes['user.intent'] });
      expect(field(item, 'extras')).toEqual({ tokens: attributes['system.gen_ai.usage.total_tokens'] });
      expect(field(item, 'source_id')).toBe(field(list(items)[index], 'span_id'));
    }
  });

  it('write nothing if one span is not found, and name each of those with the range', async () => {
    const dataset = await makeDataset(world);
    const good = await someSpans(world, 3);
    const bad = [
      { trace_id: 'f'.repeat(32), span_id: 'aaaa' },
      { trace_id: good[0]?.trace_id, span_id: 'bbbb' },
    ];
    const refused = await world.send('datasets.add-spans', sending(dataset, [...good, ...bad]));
    expect(refused.status).toBe(422);
    const issues = list(field(refused.json, 'error.errors'));
    expect(issues.map((issue) => field(issue, 'reason'))).toEqual(['SpanNotFound', 'SpanNotFound']);
    for (const [index, span] of bad.entries()) {
      const message = String(field(issues[index], 'message'));
      for (const part of [span.span_id, ALL_TIME.start_time, ALL_TIME.end_time])
        expect(message).toContain(part);
    }
    const early = { start_time: '2001-01-01T00:00:00Z', end_time: '2001-01-02T00:00:00Z' };
    expect((await world.send('datasets.add-spans', sending(dataset, good, early))).status).toBe(422);
    const count = await world.done('datasets.items', { parameters: { dataset_id: dataset } });
    expect(field(count, 'data.total')).toBe(0);
  });

  it('reject 201 spans, none, a span twice and an empty mapping', async () => {
    const dataset = await makeDataset(world);
    const [span] = await someSpans(world, 1);
    const many = Array.from({ length: 201 }, (_, index) => ({ trace_id: 'a', span_id: String(index) }));
    for (const refused of [
      sending(dataset, many),
      sending(dataset, []),
      sending(dataset, [span, span]),
      sending(dataset, [span], { mapping: { inputs: {} } }),
    ]) {
      expect((await world.send('datasets.add-spans', refused)).status).toBe(400);
    }
  });
});

describe('datasets', () => {
  it('keep the ids of their items, reject an existing one, and then store nothing of the request', async () => {
    const parameters = { dataset_id: await makeDataset(world) };
    const id = '7f3c2f7e-2a55-4a0f-9a7e-0d7e5a1b2c01';
    expect(
      await world.done('datasets.add-items', { parameters, body: { items: [{ id, inputs: { q: 1 } }] } }),
    ).toEqual([id]);
    const again = await world.send('datasets.add-items', {
      parameters,
      body: { items: [{ inputs: {} }, { id, inputs: {} }] },
    });
    expect(again.status).toBe(400);
    expect(field(again.json, 'error.errors.0.message')).toContain('items[1]');
    expect(field(await world.done('datasets.items', { parameters }), 'data.total')).toBe(1);
  });

  it('change mutable fields, clear their metadata, and are deleted with their items', async () => {
    const parameters = { dataset_id: await makeDataset(world) };
    await world.done('datasets.add-items', { parameters, body: { items: [{ inputs: {} }] } });
    const body = { metadata: { a: 1 }, description: 'New', note: 'kept' };
    expect(field(await world.done('datasets.update', { parameters, body }), 'data')).toMatchObject(body);
    const cleared = await world.done('datasets.update', { parameters, body: { metadata: {} } });
    expect(field(cleared, 'data')).toMatchObject({ metadata: {}, description: 'New' });
    for (const refused of [{}, { name: 'Other' }]) {
      expect((await world.send('datasets.update', { parameters, body: refused })).status).toBe(400);
    }
    expect(await world.done('datasets.delete', { parameters })).toBeNull();
    expect((await world.send('datasets.items', { parameters })).status).toBe(404);
  });
});

describe('scores', () => {
  const NAMES: Record<string, string[]> = {
    answer_relevance: ['is_answer_relevant'],
    coherence: ['is_coherent'],
    conciseness: ['is_concise'],
    toxicity: ['toxicity_prob'],
    sentiment_analysis: ['sentiment', 'sentiment_prob'],
    topic_classification: ['top_topic', 'top_topic_prob'],
    ftl_response_faithfulness: ['faithful_prob'],
  };
  const inputs = {
    prompt: 'Where is my order?',
    response: 'Your order is on its way.',
    context: 'The order is on its way.',
  };

  it.each(Object.entries(NAMES))('%s returns %j, and says that they are samples', async (name, names) => {
    const body = { evaluator_name: name, inputs };
    const scores = list(field(await world.done('evaluators.score', { body }), 'data.scores'));
    expect(scores.map((score) => field(score, 'name'))).toEqual(names);
    for (const score of scores) expect(field(score, 'reasoning')).toContain('Sample score');
  });

  it('distinguish different inputs', async () => {
    const value = async (evaluator_name: string, texts: Record<string, string>) =>
      Number(
        field(
          await world.done('evaluators.score', { body: { evaluator_name, inputs: texts } }),
          'data.scores.0.value',
        ),
      );
    expect(await value('ftl_response_faithfulness', inputs)).toBeGreaterThan(0.9);
    expect(await value('ftl_response_faithfulness', { ...inputs, context: 'Bananas are yellow.' })).toBe(0);
    expect(await value('toxicity', { response: 'You stupid idiot' })).toBeGreaterThan(0.8);
    expect(await value('toxicity', { response: 'Thank you' })).toBeLessThan(0.1);
    const unknown = await world.send('evaluators.score', { body: { evaluator_name: 'palm_reader', inputs } });
    expect(unknown.status).toBe(400);
  });
});
