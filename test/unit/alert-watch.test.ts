/**
 * How new alerts of rules are found and how often the service is polled. No alert is reported twice, even after a
 * restart.
 */
import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { createLayoutFile } from '../../electron/connections/layout-file.ts';
import { watchAlerts } from '../../electron/engine/alert-watch.ts';
import type { FetchRequest } from '../../electron/library/types.ts';
import { daysUpTo, type FiredAlert } from '../../electron/shared/alert-record.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { presetRange } from '../../renderer/lib/monitoring/alert-range.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { madeUpClient, notAsked } from '../helpers/made-up-client.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const MIDNIGHT = Date.UTC(2025, 10, 3);
const client = madeUpClient({ call: notAsked, list: notAsked, rows: notAsked });

const summary = (ruleId: string, bin: number | null, severity = 'CRITICAL') => ({
  alert_rule_id: ruleId,
  name: `Rule ${ruleId}`,
  model: { id: 'm', name: 'Bank churn' },
  latest_alert_record_severity: bin === null ? null : severity,
  latest_alert_time_bucket: bin === null ? null : MIDNIGHT + bin,
});

class World {
  readonly clock = new VirtualClock();
  readonly folder = new DataFolder();
  rows: Record<string, unknown>[] = [];
  everyMs = 15 * MINUTE;
  canAsk = true;
  failure: AppError | null = null;
  readonly readings: FetchRequest[] = [];
  readonly told: FiredAlert[][] = [];
  #end: (() => Promise<void>) | null = null;
  #layout = this.#file();

  #file() {
    return createLayoutFile(this.folder.file('layout.json'), silentLogger);
  }

  /** Acts like a window that opens this connection. */
  async open(): Promise<void> {
    await this.#end?.();
    this.#layout = this.#file();
    this.#end = watchAlerts({
      clock: this.clock,
      logger: silentLogger,
      client,
      layout: this.#layout,
      library: {
        fetchAll: async (reading) => {
          this.readings.push(reading);
          if (this.failure !== null) throw this.failure;
          return { rows: 1, totalRows: 1, isComplete: true, sizeBytes: 1, readAtMs: this.clock.nowMs() };
        },
        readStored: async (_, from, limit) =>
          this.rows.slice(from, from + limit).map((record, index) => ({ position: from + index, record })),
      },
      everyMs: () => this.everyMs,
      canAsk: () => this.canAsk,
      onFired: (alerts) => this.told.push(alerts),
    });
  }

  /** Advances the clock minute by minute until the polled events have arrived. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= MINUTE) {
      this.clock.advance(Math.min(left, MINUTE));
      await this.#settled();
    }
  }

  /** Waits until the events are stored and reported. */
  async #settled(): Promise<void> {
    await setImmediate();
    await this.#layout.settled();
    await setImmediate();
  }

  async close(): Promise<void> {
    await this.#end?.();
    this.folder[Symbol.dispose]();
  }

  get names(): string[][] {
    return this.told.map((alerts) => alerts.map(({ ruleId }) => ruleId));
  }
}

let it = new World();
beforeEach(() => {
  const world = new World();
  it = world;
  return () => world.close();
});

test('asks on after a clock that was ahead was set back', async () => {
  await it.open();
  await it.pass(MINUTE);
  expect(it.readings).toHaveLength(1);
  it.clock.jumpWall(-24 * HOUR);
  await it.pass(15 * MINUTE);
  expect(it.readings).toHaveLength(2);
});

test('does not report events of the first poll; reports a later bin and a worse severity once', async () => {
  await it.open();
  it.rows = [summary('a', 10 * HOUR), summary('quiet', null), summary('normal', HOUR, 'DEFAULT')];
  await it.pass(MINUTE);
  expect(it.readings).toHaveLength(1);
  expect(it.told).toEqual([]);
  it.rows = [
    summary('a', 11 * HOUR, 'WARNING'),
    summary('quiet', 11 * HOUR, 'CRITICAL'),
    summary('normal', 2 * HOUR, 'DEFAULT'),
  ];
  await it.pass(15 * MINUTE);
  expect(it.told).toEqual([
    [
      {
        ruleId: 'quiet',
        name: 'Rule quiet',
        modelName: 'Bank churn',
        severity: 'critical',
        timeMs: MIDNIGHT + 11 * HOUR,
      },
      {
        ruleId: 'a',
        name: 'Rule a',
        modelName: 'Bank churn',
        severity: 'warning',
        timeMs: MIDNIGHT + 11 * HOUR,
      },
    ],
  ]);
  it.rows = [summary('a', 11 * HOUR, 'CRITICAL'), summary('quiet', 11 * HOUR, 'WARNING')];
  await it.pass(15 * MINUTE);
  await it.pass(60 * MINUTE);
  expect(it.names).toEqual([['quiet', 'a'], ['a']]);
});

test('reports nothing again after a restart, and reports alerts that fired in between', async () => {
  await it.open();
  it.rows = [summary('a', HOUR)];
  await it.pass(MINUTE);
  it.rows = [summary('a', 2 * HOUR)];
  await it.pass(15 * MINUTE);
  expect(it.names).toEqual([['a']]);
  await it.open();
  await it.pass(20 * MINUTE);
  expect(it.names).toEqual([['a']]);
  it.rows = [summary('a', 2 * HOUR), summary('b', 2 * HOUR)];
  await it.open();
  await it.pass(MINUTE);
  expect(it.names).toEqual([['a'], ['b']]);
});

test('polls once per interval, and not while offline or switched off', async () => {
  await it.open();
  await it.pass(60 * MINUTE);
  expect(it.readings).toHaveLength(4);
  it.canAsk = false;
  await it.pass(60 * MINUTE);
  expect(it.readings).toHaveLength(4);
  it.canAsk = true;
  await it.pass(MINUTE);
  expect(it.readings).toHaveLength(5);
  it.everyMs = 0;
  await it.pass(60 * MINUTE);
  expect(it.readings).toHaveLength(5);
  it.everyMs = 5 * MINUTE;
  await it.pass(10 * MINUTE);
  expect(it.readings).toHaveLength(7);
});

test('a failed poll forgets nothing', async () => {
  await it.open();
  it.rows = [summary('a', HOUR)];
  await it.pass(MINUTE);
  it.failure = new AppError('CONNECTION_LOST', 'No answer.');
  it.rows = [summary('b', HOUR)];
  await it.pass(15 * MINUTE);
  expect(it.told).toEqual([]);
  it.failure = null;
  await it.pass(15 * MINUTE);
  expect(it.names).toEqual([['b']]);
});

test('sends the query of the start page, so that one response serves both; reads many rules in full', async () => {
  await it.open();
  it.rows = Array.from({ length: 450 }, (_, at) => summary(`r${at}`, HOUR));
  await it.pass(MINUTE);
  const nowMs = it.clock.nowMs();
  const { startMs, endMs } = presetRange('7d', nowMs);
  expect(daysUpTo(nowMs, 7)).toEqual({ startMs, endMs });
  expect(it.readings[0]).toMatchObject({
    until: 'end',
    query: {
      operation: 'alert-rules.summary',
      query: { start_time: new Date(startMs).toISOString(), end_time: new Date(endMs).toISOString() },
    },
  });
  it.rows = [...it.rows, summary('last', HOUR)];
  await it.pass(15 * MINUTE);
  expect(it.names).toEqual([['last']]);
});
