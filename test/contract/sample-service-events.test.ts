/** Events that are published, rejected, updated, or deleted by a job; by raw HTTP with a virtual clock. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawService } from '../helpers/sample-service.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

let raw: RawService;
let clock: VirtualClock;
let churn: string;
let fraud: string;
let insurance: string;

beforeEach(async () => {
  clock = new VirtualClock();
  raw = await RawService.start({ clock });
  churn = await raw.idOf('models.list', 'Bank churn');
  fraud = await raw.idOf('models.list', 'Card fraud');
  insurance = await raw.idOf('models.list', 'Auto insurance value');
});
afterEach(() => raw.service.stop());

function publish(modelId: string, events: unknown[], rest: Record<string, unknown> = {}, method = 'POST') {
  const body = {
    model_id: modelId,
    env_type: 'PRODUCTION',
    env_name: null,
    ...rest,
    source: { type: 'EVENTS', events },
  };
  return raw.call(method, '/v3/events', { body });
}

const customer = (age: number) => ({
  CreditScore: 640,
  Geography: 'Spain',
  Age: age,
  Balance: 0.5,
  Churned: 'Churned',
});
const payment = (id: string, at: string) => ({
  transaction_id: id,
  processed_at: at,
  amount: 12.5,
  is_fraud: false,
});
const remove = (body: Record<string, unknown>) => raw.call('DELETE', '/v3/events', { body });
const jobOf = (data: unknown): { id: string } => Reflect.get(Object(data), 'job');

describe('publishing events', () => {
  it('stores events in order and returns one id for each row', async () => {
    const production = `/v3/models/${churn}/environments?type=PRODUCTION`;
    const rows = async () => Number((await raw.page(production)).items[0]?.['row_count']);
    const before = await rows();
    const answer = await publish(churn, [customer(31), customer(47), customer(31)]);
    expect(answer.status).toBe(200);
    const ids = answer.envelope.data?.['event_ids'];
    const stored = raw.service.events(churn);
    expect(answer.envelope.data?.['source_type']).toBe('EVENTS');
    expect(stored.ids).toEqual(ids);
    expect(new Set(stored.ids).size).toBe(3);
    expect(stored.records.map((event) => event['Age'])).toEqual([31, 47, 31]);
    const view = JSON.parse(
      (await raw.raw('GET', `/__sample/events?model_id=${churn}`, { token: null })).text,
    );
    expect(view).toEqual({ count: 3, ids });
    expect((await rows()) - before).toBe(3);
  });

  it('uses the ids of the model if it has an id column, twice if they are sent twice', async () => {
    const event = payment('tx-9', '2025-10-01 10:00:00');
    const answer = await publish(fraud, [event]);
    expect(answer.envelope.data?.['event_ids']).toEqual(['tx-9']);
    await publish(fraud, [event]);
    expect(raw.service.events(fraud)).toMatchObject({ count: 2, ids: ['tx-9', 'tx-9'] });
  });

  it('accepts up to the limit and not one more', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => customer(18 + (index % 60)));
    expect((await publish(churn, many)).status).toBe(400);
    expect(raw.service.events(churn).count).toBe(0);
    expect((await publish(churn, many.slice(1))).status).toBe(200);
    expect(raw.service.events(churn).count).toBe(1_000);
  });

  it('rejects the whole request with one entry per bad event', async () => {
    const answer = await publish(churn, [
      customer(30),
      { ...customer(30), Age: '30' },
      { ...customer(30), Balance: '1', Geography: ['Spain'] },
      { ...customer(30), Agee: 30 },
      { ...customer(30), Age: null, Geography: 'Atlantis' },
      {},
    ]);
    expect(answer.status).toBe(400);
    const messages = answer.envelope.error?.errors.map((issue) => issue.message);
    expect(messages).toEqual([
      'events[1]: column "Age": expected an integer, got string',
      'events[2]: column "Geography": expected a single value, got list; column "Balance": expected a number, got string',
      'events[3]: column "Agee": the model has no such column',
      'events[5]: the event has no columns',
    ]);
    expect(raw.service.events(churn).count).toBe(0);
    expect(raw.service.report().malformedRequests).toBe(0);
  });

  it('needs the id and the time of an event if the model names columns for them', async () => {
    const answer = await publish(fraud, [
      { amount: 1 },
      { ...payment('', 'yesterday'), merchant_embedding: [1, 2] },
    ]);
    expect(answer.envelope.error?.errors.map((issue) => issue.message)).toEqual([
      'events[0]: column "transaction_id": expected a value, the column is missing; column "processed_at": expected a value, the column is missing',
      'events[1]: column "transaction_id": expected an event id, got an empty text; column "processed_at": expected a time, got string; column "merchant_embedding": expected a list of 4 numbers, got list',
    ]);
  });

  it('reads times in the format of the model and in ISO form', async () => {
    const events = [
      '2/1/11',
      '01/17/11',
      '2011-02-01 10:30:00',
      '2011-02-01T10:30:00.5+02:00',
      1_296_518_400,
    ].map((at) => ({
      customer: 'QS65968',
      effective_to_date: at,
    }));
    expect((await publish(insurance, events)).status).toBe(200);
    expect((await publish(insurance, [{ effective_to_date: '2/30/11' }])).status).toBe(400);
  });

  it('knows its environments and models', async () => {
    expect((await publish(churn, [customer(1)], { env_name: 'production' })).status).toBe(200);
    expect((await publish(churn, [customer(1)], { env_name: 'elsewhere' })).status).toBe(404);
    expect((await publish(churn, [customer(1)], { env_type: 'STAGING' })).status).toBe(400);
    expect((await publish(churn, [customer(1)], { env_type: 'PRE_PRODUCTION' })).status).toBe(400);
    const set = { env_type: 'PRE_PRODUCTION', env_name: 'training_2024' };
    expect((await publish(churn, [customer(1)], set)).status).toBe(200);
    expect((await publish('00000000-0000-4000-8000-000000000000', [customer(1)])).status).toBe(404);
    const file = { type: 'FILE', file_id: '00000000-0000-4000-8000-000000000000' };
    const body = { model_id: churn, env_type: 'PRODUCTION', source: file };
    expect((await raw.call('POST', '/v3/events', { body })).status).toBe(404);
  });
});

describe('updating events', () => {
  it('changes targets and metadata of events named by their id, nothing else', async () => {
    await publish(fraud, [payment('tx-1', '2025-10-01 10:00:00'), payment('tx-2', '2025-10-02 10:00:00')]);
    const change = { transaction_id: 'tx-2', is_fraud: true, amount: 99, review_note: 'called the holder' };
    const answer = await publish(fraud, [change], {}, 'PATCH');
    expect(answer.envelope.data).toEqual({ source_type: 'EVENTS', event_ids: ['tx-2'] });
    const [first, second] = raw.service.events(fraud).records;
    expect(first).toMatchObject({ is_fraud: false });
    expect(second).toMatchObject({ is_fraud: true, amount: 12.5, review_note: 'called the holder' });
  });

  it('rejects unknown ids, models without ids, and pre-production', async () => {
    const unknown = await publish(fraud, [{ transaction_id: 'tx-404', is_fraud: true }], {}, 'PATCH');
    expect(unknown.envelope.error?.errors[0]?.message).toBe('events[0]: no event has the id "tx-404"');
    expect((await publish(churn, [customer(1)], {}, 'PATCH')).status).toBe(400);
    const set = { env_type: 'PRE_PRODUCTION', env_name: 'training_2024' };
    expect((await publish(churn, [customer(1)], set, 'PATCH')).status).toBe(400);
  });
});

describe('deleting events', () => {
  it('returns a job that progresses, and removes the events when it ends', async () => {
    const { envelope } = await publish(churn, [customer(20), customer(30), customer(40)]);
    const ids = envelope.data?.['event_ids'];
    const [first, , third] = Array.isArray(ids) ? ids : [];
    const answer = await remove({
      model_id: churn,
      event_ids: [first, third, 'never-stored'],
      update_metrics: false,
    });
    expect(answer.status).toBe(202);
    const { id } = jobOf(answer.envelope.data);
    const states: unknown[] = [];
    for (const stepMs of [0, 1_000, 1_500, 1_499, 1]) {
      clock.advance(stepMs);
      const { data } = (await raw.call('GET', `/v3/jobs/${id}`)).envelope;
      states.push([data?.['status'], data?.['progress'], raw.service.events(churn).count]);
    }
    expect(states).toEqual([
      ['PENDING', 0, 3],
      ['STARTED', 0, 3],
      ['STARTED', 50, 3],
      ['STARTED', 99, 3],
      ['SUCCESS', 100, 1],
    ]);
    expect(raw.service.events(churn).records).toMatchObject([{ Age: 30 }]);
  });

  it('by time includes the start and excludes the end, and keeps events that arrived later', async () => {
    const times = [
      '2025-10-01 09:59:59',
      '2025-10-01 10:00:00',
      '2025-10-01 10:59:59',
      '2025-10-01 11:00:00',
    ];
    await publish(
      fraud,
      times.map((at, index) => payment(`tx-${index}`, at)),
    );
    const range = { start_time: '2025-10-01 10:00:00', end_time: '2025-10-01T11:00:00Z' };
    expect((await remove({ model_id: fraud, event_ids: null, time_range: range })).status).toBe(202);
    await publish(fraud, [payment('tx-late', '2025-10-01 10:30:00')]);
    clock.advance(60_000);
    expect(raw.service.events(fraud).ids).toEqual(['tx-0', 'tx-3', 'tx-late']);
  });

  it('by id keeps an event of the same id that arrived later', async () => {
    await publish(fraud, [payment('tx-1', '2025-10-01 10:00:00')]);
    await remove({ model_id: fraud, event_ids: ['tx-1'] });
    await publish(fraud, [payment('tx-1', '2025-10-02 10:00:00')]);
    clock.advance(60_000);
    expect(raw.service.events(fraud).records).toMatchObject([{ processed_at: '2025-10-02 10:00:00' }]);
  });

  it('does not change pre-production', async () => {
    await publish(churn, [customer(1)], { env_type: 'PRE_PRODUCTION', env_name: 'training_2024' });
    await remove({ model_id: churn, event_ids: raw.service.events(churn).ids });
    clock.advance(60_000);
    expect(raw.service.events(churn).count).toBe(1);
  });

  it('needs exactly one of ids and time range', async () => {
    const range = { start_time: '2025-10-01 10:00:00', end_time: '2025-10-01 11:00:00' };
    for (const rest of [
      {},
      { event_ids: null },
      { event_ids: [] },
      { event_ids: ['a'], time_range: range },
      { time_range: { start_time: range.end_time, end_time: range.start_time } },
      { time_range: { start_time: 'then', end_time: 'now' } },
      { time_range: { start_time: range.start_time } },
    ]) {
      expect((await remove({ model_id: churn, ...rest })).status).toBe(400);
    }
    expect(
      (
        await remove({
          model_id: churn,
          time_range: { start_time: 1_700_000_000, end_time: 1_700_000_001_000 },
        })
      ).status,
    ).toBe(202);
  });
});
