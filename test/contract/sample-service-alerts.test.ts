/** Alert rules with their records, history, thresholds and notifications; by raw HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { modelQuery, ruleBody } from './sample-service-cases/monitoring.ts';
import { field, list, World } from './sample-service-cases/world.ts';

const NOW_MS = Date.UTC(2025, 10, 3, 9, 0, 0);
const DAY_MS = 86_400_000;
const RANGE = `start_time=${new Date(NOW_MS - 30 * DAY_MS).toISOString()}&end_time=${new Date(NOW_MS).toISOString()}`;

let world: World;
beforeAll(async () => {
  world = await World.start({ clock: new VirtualClock(NOW_MS) });
});
afterAll(() => world.stop());

async function ruleNamed(name: string): Promise<{ id: string; rule: unknown }> {
  const rule = (await world.items('alert-rules.list', {})).find((entry) => field(entry, 'name') === name);
  return { id: String(field(rule, 'id')), rule };
}

async function query(body: unknown): Promise<unknown> {
  return field(await world.done('queries.run', { body }), 'data.results.a');
}

describe('alert rules', () => {
  it('of the sample have records that cross their thresholds, and values that agree with a chart', async () => {
    const { id, rule } = await ruleNamed('Fraud score drifts');
    const records = await world.items('alert-rules.records', {
      parameters: { alert_id: id },
      query: `?${RANGE}&limit=100`,
    });
    expect(records.length).toBeGreaterThan(0);
    const baseline = String(field(rule, 'baseline.id'));
    const chart = await query({
      ...modelQuery(world.ids.fraud, world.ids.project),
      queries: [
        {
          query_key: 'a',
          model_id: world.ids.fraud,
          metric: 'jsd',
          columns: ['fraud_score'],
          baseline_id: baseline,
        },
      ],
    });
    const values = new Map(
      list(field(chart, 'data')).map((row) => [Date.parse(String(field(row, '0'))), field(row, '1')]),
    );
    for (const record of records.filter((entry) => field(entry, 'alert_record_main_version') === 1)) {
      const limit = field(record, 'severity') === 'CRITICAL' ? 'critical_threshold' : 'warning_threshold';
      expect(Number(field(record, 'alert_value'))).toBeGreaterThan(Number(field(rule, limit)));
      if (field(record, 'severity') !== 'CRITICAL') continue;
      expect(values.get(Number(field(record, 'alert_time_bucket')))).toBe(field(record, 'alert_value'));
    }
  });

  it('keep one entry per bin in the history, with the latest of its records', async () => {
    const { id } = await ruleNamed('Traffic drops');
    const parameters = { alert_id: id };
    const history = await world.items('alert-rules.history', { parameters, query: `?${RANGE}` });
    const records = await world.items('alert-rules.records', { parameters, query: `?${RANGE}&limit=1000` });
    const buckets = history.map((entry) => field(entry, 'time_bucket'));
    expect(new Set(buckets).size).toBe(buckets.length);
    expect(history.length).toBeGreaterThan(600);
    const raised = history.filter((entry) => field(entry, 'latest_record.severity') !== 'DEFAULT');
    expect(raised.reduce<number>((sum, entry) => sum + Number(field(entry, 'alert_count')), 0)).toBe(
      records.length,
    );
    for (const entry of raised) {
      const own = records.filter(
        (record) => field(record, 'alert_time_bucket') === field(entry, 'time_bucket'),
      );
      expect(own.map((record) => field(record, 'id'))).toContain(field(entry, 'latest_record.id'));
      expect(field(entry, 'alert_history_count')).toBe(own.length - 1);
    }
  });

  it('are summarized by their latest record', async () => {
    const summaries = await world.items('alert-rules.summary', { query: `?${RANGE}&limit=100` });
    const rules = await world.items('alert-rules.list', { query: '?limit=100' });
    expect(summaries).toHaveLength(rules.length);
    for (const summary of summaries) {
      const parameters = { alert_id: String(field(summary, 'alert_rule_id')) };
      const answer = await world.done('alert-rules.records', { parameters, query: `?${RANGE}&limit=1` });
      expect(field(summary, 'alert_record_count')).toBe(field(answer, 'data.total'));
      expect(field(summary, 'id')).toBe(field(answer, 'data.items.0.id') ?? null);
    }
  });

  it('return the thresholds of a bin: their own, or computed from earlier bins', async () => {
    const manual = await ruleNamed('Fraud score drifts');
    const automatic = await ruleNamed('Claims leave their usual band');
    const at = (alertId: string, dayMs: number) =>
      world.done('alert-rules.thresholds', {
        parameters: { alert_id: alertId },
        query: `?alert_time_bucket=${dayMs}`,
      });
    const day = NOW_MS - 10 * DAY_MS;
    expect(field(await at(manual.id, day), 'data')).toMatchObject({
      critical_threshold: field(manual.rule, 'critical_threshold'),
      alert_time_bucket: Date.UTC(2025, 9, 24),
    });
    const [one, other] = [await at(automatic.id, day), await at(automatic.id, day - 5 * DAY_MS)];
    expect(field(one, 'data.critical_threshold')).not.toBe(field(other, 'data.critical_threshold'));
    expect(Number(field(one, 'data.critical_threshold'))).toBeGreaterThan(
      Number(field(one, 'data.warning_threshold')),
    );
    const seconds = await at(manual.id, Math.floor(day / 1_000));
    expect(field(seconds, 'data.alert_time_bucket')).toBe(Date.UTC(2025, 9, 24));
  });

  it.each([
    ['a drift metric without a baseline', { metric_id: 'jsd', feature_names: ['amount'] }],
    ['a metric without its feature', { metric_id: 'average' }],
    ['an unknown feature', { metric_id: 'average', feature_names: ['height'] }],
    ['a comparison without its distance', { compare_to: 'time_period' }],
    ['a distance that the bin does not have', { compare_to: 'time_period', compare_bin_delta: 24 }],
    ['no threshold', { critical_threshold: null }],
    ['an unknown priority', { priority: 'URGENT' }],
    ['a model that is not there', { model_id: '00000000-0000-4000-8000-000000000000' }],
  ])('reject %s', async (_title, change) => {
    const answer = await world.send('alert-rules.create', { body: { ...ruleBody(world), ...change } });
    expect(answer.status, answer.text).toBe(400);
  });

  it('keep unknown fields, change mutable fields, and nothing else', async () => {
    const id = await world.make('alert-rules.create', { ...ruleBody(world), team: 'risk' });
    const parameters = { alert_id: id };
    expect(field(await world.done('alert-rules.get', { parameters }), 'data.team')).toBe('risk');
    const changed = await world.done('alert-rules.update', {
      parameters,
      body: { critical_threshold: 1, priority: 'HIGH' },
    });
    expect(field(changed, 'data')).toMatchObject({ critical_threshold: 1, priority: 'HIGH', team: 'risk' });
    for (const body of [
      { bin_size: 'Hour' },
      { condition: 'lesser' },
      { metric_id: 'jsd' },
      {},
      { priority: 'X' },
    ]) {
      expect((await world.send('alert-rules.update', { parameters, body })).status).toBe(400);
    }
    await world.done('alert-rules.delete', { parameters });
    expect((await world.send('alert-rules.get', { parameters })).status).toBe(404);
  });

  it('notify over every channel, and reject an empty set', async () => {
    const parameters = { alert_id: await world.make('alert-rules.create', ruleBody(world)) };
    expect(field(await world.done('alert-rules.notification', { parameters }), 'data')).toEqual({
      emails: [],
      pagerduty_services: [],
      pagerduty_severity: '',
      webhooks: [],
    });
    expect((await world.send('alert-rules.test-notification', { parameters })).status).toBe(400);
    await world.done('alert-rules.create-notification', {
      parameters,
      body: { emails: ['a@b.invalid', 'c@d.invalid'] },
    });
    const body = { pagerduty_services: ['risk-on-call'], pagerduty_severity: 'critical' };
    await world.done('alert-rules.update-notification', { parameters, body });
    const tested = await world.done('alert-rules.test-notification', { parameters });
    expect(list(field(tested, 'data.results')).map((result) => field(result, 'channel'))).toEqual([
      'email',
      'email',
      'pagerduty',
    ]);
    for (const wrong of [
      { emails: [], pagerduty_services: [] },
      { webhooks: ['x'] },
      { emails: ['nobody'] },
    ]) {
      expect((await world.send('alert-rules.update-notification', { parameters, body: wrong })).status).toBe(
        400,
      );
    }
  });
});
