/** Spans, datasets made from them, scores, deletions and files as they behave together; by raw HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { fileForm, makeApplication, startFile, uploadPart } from './sample-service-cases/applications.ts';
import { ALL_TIME, makeDataset, someSpans } from './sample-service-cases/datasets.ts';
import { field, type Sending, UNKNOWN_ID, World } from './sample-service-cases/world.ts';

let world: World;
let clock: VirtualClock;
beforeAll(async () => {
  clock = new VirtualClock();
  world = await World.start({ clock });
});
afterAll(() => world.stop());

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

const spanQuery = (rest: Record<string, unknown> = {}): Sending => ({
  body: { application_id: world.ids.application, ...ALL_TIME, ...rest },
});
const rule = (name: string, value: unknown, operator = 'eq') => ({ field: name, operator, value });
const all = (...rules: unknown[]) => ({ filter: { condition: 'AND', rules } });
const spans = async (rest: Record<string, unknown> = {}) =>
  field(await world.done('spans.query', spanQuery(rest)), 'data');

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

  it('take the start, leave the end, and filter by columns and attributes', async () => {
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
  ])('refuse %s', async (_title, rest) => {
    expect((await world.send('spans.query', spanQuery(rest))).status).toBe(400);
  });

  it('count the attribute keys of what they select', async () => {
    const filter = all(rule('Span::span_type', 'tool'));
    const fields = field(await world.done('spans.fields', spanQuery(filter)), 'data');
    const total = field(await spans({ ...filter, page_size: 1 }), 'total');
    expect(fields).toMatchObject({ total_spans: total, sampled: false });
    const counts = new Map(
      list(field(fields, 'span_attributes')).map((entry) => [field(entry, 'key'), field(entry, 'count')]),
    );
    expect(counts.get('system.gen_ai.tool.name')).toBe(total);
    expect(counts.get('user.retrieval.hits')).toBeLessThan(Number(total));
    expect(counts.has('system.gen_ai.llm.output')).toBe(false);
    const outputs = field(await world.done('spans.fields', spanQuery()), 'data.evaluator_outputs');
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

  it('write nothing where one span is not found, and name each of those with the range', async () => {
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

  it('refuse 201 spans, none, a span twice and a mapping of nothing', async () => {
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
  it('keep the ids of their items, refuse one that is there, and then none of the request is stored', async () => {
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

  it('change what may change, clear their metadata, and go with their items', async () => {
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

  it.each(Object.entries(NAMES))('%s gives %j, and says that they are samples', async (name, names) => {
    const body = { evaluator_name: name, inputs };
    const scores = list(field(await world.done('evaluators.score', { body }), 'data.scores'));
    expect(scores.map((score) => field(score, 'name'))).toEqual(names);
    for (const score of scores) expect(field(score, 'reasoning')).toContain('Sample score');
  });

  it('tell apart what differs', async () => {
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

describe('deletions', () => {
  it('of traces and sessions take their spans, and repeat without harm', async () => {
    const before = Number(field(await spans({ page_size: 1 }), 'total'));
    const [span] = list(field(await spans({ page_size: 1 }), 'items'));
    const ofTrace = all(rule('Span::trace_id', field(span, 'trace_id')));
    const size = Number(field(await spans(ofTrace), 'total'));
    const body = { application_id: world.ids.application, trace_ids: [field(span, 'trace_id')] };
    for (let round = 0; round < 2; round += 1) expect(await world.done('traces.delete', { body })).toBeNull();
    expect(field(await spans({ page_size: 1 }), 'total')).toBe(before - size);
    const [other] = list(field(await spans({ page_size: 1 }), 'items'));
    const session = field(other, 'session_id');
    await world.done('sessions.delete', {
      body: { application_id: world.ids.application, session_ids: [session] },
    });
    expect(field(await spans(all(rule('Span::session_id', session))), 'total')).toBe(0);
    for (const wrong of ['0'.repeat(32), 'F'.repeat(32), 'abc']) {
      const refused = await world.send('traces.delete', { body: { ...body, trace_ids: [wrong] } });
      expect(refused.status).toBe(400);
    }
  });

  it('of an application run as one job, and take everything that belongs to it', async () => {
    const parameters = { application_id: world.ids.claims };
    const datasets = async () => {
      const filter = JSON.stringify(all(rule('application_id', world.ids.claims, 'equal')).filter);
      return field(
        await world.done('datasets.list', { query: `?filter=${encodeURIComponent(filter)}` }),
        'data.items',
      );
    };
    const [dataset] = list(await datasets());
    const job = field(await world.done('applications.delete', { parameters }), 'data.job.id');
    expect(field(await world.done('applications.delete', { parameters }), 'data.job.id')).toBe(job);
    const state = async () =>
      field(await world.done('jobs.get', { parameters: { job_id: String(job) } }), 'data');
    expect(await state()).toMatchObject({ status: 'PENDING', progress: 0 });
    clock.advance(2_500);
    expect(await state()).toMatchObject({ status: 'STARTED', progress: 50 });
    expect(field(await world.done('applications.get', { parameters }), 'data.name')).toBe(
      'Claims triage agent',
    );
    clock.advance(1_500);
    expect(await state()).toMatchObject({ status: 'SUCCESS', progress: 100 });
    expect((await world.send('applications.get', { parameters })).status).toBe(404);
    expect((await world.send('catalog.list', { parameters })).status).toBe(400);
    expect((await world.send('spans.query', spanQuery({ application_id: world.ids.claims }))).status).toBe(
      404,
    );
    expect(await datasets()).toEqual([]);
    const items = { parameters: { dataset_id: String(field(dataset, 'id')) } };
    expect((await world.send('datasets.items', items)).status).toBe(404);
    const jobs = list(field(await world.done('jobs.list', {}), 'data.items'));
    expect(jobs.find((entry) => field(entry, 'id') === job)).toMatchObject({ status: 'SUCCESS' });
    expect(jobs[0]).not.toHaveProperty('progress');
  });

  it('leave other applications alone', async () => {
    const id = await makeApplication(world);
    await world.done('applications.delete', { parameters: { application_id: id } });
    clock.advance(5_000);
    expect(Number(field(await spans({ page_size: 1 }), 'total'))).toBeGreaterThan(1_000);
  });
});

describe('files', () => {
  async function publish(fileId: string, modelId = world.ids.churn): Promise<unknown> {
    const body = { model_id: modelId, env_type: 'PRODUCTION', source: { type: 'FILE', file_id: fileId } };
    const answer = await world.done('events.publish', { body });
    clock.advance(5_000);
    const parameters = { job_id: String(field(answer, 'data.job.id')) };
    return field(await world.done('jobs.get', { parameters }), 'data');
  }

  it('in one request or in parts are published by a job', async () => {
    const text = 'Age,Geography,Balance\n31,Spain,1.5\n"47","Sp""ain, north",\n';
    const whole = field(await world.done('files.upload', { form: fileForm('events.csv', text) }), 'data.id');
    expect(await publish(String(whole))).toMatchObject({ status: 'SUCCESS', error_message: null });
    const parts = await startFile(world);
    const second = await uploadPart(world, parts, 2, text.slice(20));
    const first = await uploadPart(world, parts, 1, text.slice(0, 20));
    const body = {
      file_id: parts,
      parts: [
        { number: 1, id: first },
        { number: 2, id: second },
      ],
    };
    const early = {
      model_id: world.ids.churn,
      env_type: 'PRODUCTION',
      source: { type: 'FILE', file_id: parts },
    };
    expect((await world.send('events.publish', { body: early })).status).toBe(400);
    expect(
      (await world.send('files.multipart-complete', { body: { ...body, parts: body.parts.slice(1) } }))
        .status,
    ).toBe(400);
    await world.done('files.multipart-complete', { body });
    expect((await world.send('files.multipart-complete', { body })).status).toBe(400);
    expect(await publish(parts)).toMatchObject({ status: 'SUCCESS' });
    const rows = [
      { Age: 31, Geography: 'Spain', Balance: 1.5 },
      { Age: 47, Geography: 'Sp"ain, north', Balance: null },
    ];
    expect(world.raw.service.events(world.ids.churn).records).toEqual([...rows, ...rows]);
  });

  it('that do not fit end in a failed job that says which line, and store nothing', async () => {
    const before = world.raw.service.events(world.ids.churn).count;
    const upload = async (name: string, text: string) =>
      String(field(await world.done('files.upload', { form: fileForm(name, text) }), 'data.id'));
    const bad = await publish(await upload('events.csv', 'Age\n31\nold\n'));
    expect(bad).toMatchObject({ status: 'FAILURE', error_message: expect.stringContaining('Line 3') });
    const parquet = await publish(await upload('events.parquet', 'PAR1'));
    expect(parquet).toMatchObject({ status: 'FAILURE', error_message: expect.stringContaining('CSV') });
    expect(world.raw.service.events(world.ids.churn).count).toBe(before);
    const source = { type: 'FILE', file_id: UNKNOWN_ID };
    const missing = { model_id: world.ids.churn, env_type: 'PRODUCTION', source };
    expect((await world.send('events.publish', { body: missing })).status).toBe(404);
  });
});
