/** Time bins, series, definitions and CSV files of the sample service, and a database of an earlier version. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cellValue, csvRecords, csvRows } from '../../electron/sample-service/csv.ts';
import { openFilledStore } from '../../electron/sample-service/generate/filled-store.ts';
import { watchedRule } from '../../electron/sample-service/monitoring/alert-evaluation.ts';
import { alertSummary } from '../../electron/sample-service/monitoring/alert-records.ts';
import { binBefore, binOf, binsBetween } from '../../electron/sample-service/monitoring/bins.ts';
import { definitionIssue } from '../../electron/sample-service/monitoring/definition.ts';
import { metricsOf } from '../../electron/sample-service/monitoring/metrics.ts';
import { valueIn } from '../../electron/sample-service/monitoring/series.ts';

const at = (text: string): number => Date.parse(text);

describe('bins of the sample service', () => {
  it.each([
    ['Hour', '2025-03-30T01:00:00Z', '2025-03-30T02:00:00Z'],
    ['Day', '2025-03-30T00:00:00Z', '2025-03-31T00:00:00Z'],
    ['Week', '2025-03-24T00:00:00Z', '2025-03-31T00:00:00Z'],
    ['Month', '2025-03-01T00:00:00Z', '2025-04-01T00:00:00Z'],
    ['Quarter', '2025-01-01T00:00:00Z', '2025-04-01T00:00:00Z'],
  ] as const)('of one %s contain their moment and are adjacent', (size, start, end) => {
    const bin = binOf(at('2025-03-30T01:30:00Z'), size);
    expect(bin).toEqual({ startMs: at(start), endMs: at(end) });
    expect(binBefore(bin, size, -1).startMs).toBe(bin.endMs);
    expect(binBefore(binBefore(bin, size, 5), size, -5)).toEqual(bin);
    expect(binOf(bin.startMs - 1, size)).toEqual(binBefore(bin, size, 1));
  });

  it('between two moments start with the one that contains the first, and are limited', () => {
    const bins = binsBetween(at('2025-01-15T00:00:00Z'), at('2025-04-01T00:00:00Z'), 'Month', 10);
    expect(bins?.map((bin) => new Date(bin.startMs).getUTCMonth())).toEqual([0, 1, 2]);
    expect(binsBetween(0, 10 * 86_400_000, 'Day', 9)).toBeNull();
    expect(binsBetween(0, 10 * 86_400_000, 'Day', 10)).toHaveLength(10);
  });
});

describe('the rule about drift', () => {
  const [HOUR, DAY] = [3_600_000, 86_400_000];

  it.each(['2026-03-08T23:10:00Z', '2026-11-23T00:05:00Z'])(
    'of a sample made at %s has fired in the last seven days, on any day and hour',
    (made) => {
      const { db, stores } = openFilledStore(null, { nowMs: at(made) });
      const record = stores.resources.list('alert-rule').find(({ name }) => name === 'Fraud score drifts');
      const rule = record === undefined ? null : watchedRule(stores, record);
      db.close();
      if (rule === null) throw new Error('Expected the rule of the sample.');
      const quiet = Array.from({ length: 120 }, (_, index) => at(made) + index * 7 * HOUR).filter(
        (nowMs) =>
          alertSummary(rule, { startMs: nowMs - 7 * DAY, endMs: nowMs, featureName: null }, nowMs)[
            'latest_alert_time_bucket'
          ] === null,
      );
      expect(quiet.map((timeMs) => new Date(timeMs).toISOString())).toEqual([]);
    },
  );
});

it('every metric has a name with a capital letter', () => {
  const { db, stores } = openFilledStore(null, { nowMs: at('2026-11-23T00:05:00Z') });
  const names = stores.resources
    .list('model')
    .flatMap((model) => metricsOf(stores, model))
    .map(({ name }) => name);
  db.close();
  expect(names).toContain('Accuracy');
  expect(names.filter((name) => !/^[A-Z]/.test(name))).toEqual([]);
});

describe('series of the sample service', () => {
  const profile = { level: 100, swing: 0.3, noise: 0.1, least: 0, most: 1e9, isCount: false, digits: 2 };

  it('stay in their bounds, miss few values, and differ from one another', () => {
    const bins = binsBetween(0, 2_000 * 86_400_000, 'Day', 5_000) ?? [];
    const [one, other] = ['a', 'b'].map((key) =>
      bins.map((bin) => valueIn(key, { ...profile, most: 120 }, bin)),
    );
    const values = (one ?? []).filter((value) => value !== null);
    expect(values.length / bins.length).toBeGreaterThan(0.95);
    expect(values.length).toBeLessThan(bins.length);
    expect(Math.max(...values)).toBeLessThanOrEqual(120);
    expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
    expect(one).not.toEqual(other);
  });

  it('of counts grow with the bin', () => {
    const count = { ...profile, swing: 0, noise: 0, isCount: true };
    const value = (hours: number) =>
      valueIn('k', count, { startMs: 7_200_000, endMs: 7_200_000 + hours * 3_600_000 });
    expect([value(1), value(24)]).toEqual([100, 2_400]);
  });
});

describe('definitions of custom metrics', () => {
  const columns = new Set(['amount', 'is online']);

  it.each([
    'sum(amount)',
    'average(if("is online", 1, null)) * 100',
    "count(if(amount > 3.5, 'x', null)) / count(amount)",
  ])('%s is one', (definition) => {
    expect(definitionIssue(definition, columns)).toBeNull();
  });

  it.each([
    ['amount + 1', 'no aggregate'],
    ['sum(amount', 'not closed'],
    ['sum(amount))', 'closes'],
    ['sum(height)', 'column "height"'],
    ['total(amount)', 'function "total"'],
    ["sum('amount)", 'does not belong'],
    ['', 'no aggregate'],
  ])('%s is none', (definition, reason) => {
    expect(definitionIssue(definition, columns)).toContain(reason);
  });
});

describe('CSV files of the sample service', () => {
  it('is read with quotes, line ends of all kinds, and empty cells', () => {
    expect(csvRows('\uFEFFa,b\r\n"1,5","two\nlines"\n"he said ""no""",\n\nx,y')).toEqual([
      ['a', 'b'],
      ['1,5', 'two\nlines'],
      ['he said "no"', ''],
      ['x', 'y'],
    ]);
    expect(csvRows('')).toEqual([]);
    expect(() => csvRows('a,"b\n')).toThrow('quote');
  });

  it('gives each cell the type of its column', () => {
    expect(
      csvRecords(
        'n,b,v,t\n1.5,TRUE,"[1,2]",7\nx,maybe,[,\n',
        new Map([
          ['n', 'float'],
          ['b', 'bool'],
          ['v', 'vector'],
          ['t', 'str'],
        ]),
      ),
    ).toEqual([
      { n: 1.5, b: true, v: [1, 2], t: '7' },
      { n: 'x', b: 'maybe', v: '[', t: null },
    ]);
    expect(cellValue('0', 'bool')).toBe(false);
  });
});

describe('a database file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sample-store-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('of version 1 is upgraded and keeps its data', () => {
    const file = join(folder, 'service.db');
    const options = { nowMs: at('2025-11-03T09:00:00Z') };
    const first = openFilledStore(file, options);
    const models = first.stores.resources.list('model');
    const rules = first.stores.resources.list('alert-rule');
    first.db.close();
    const old = new Database(file);
    old.exec(`DELETE FROM resource WHERE kind IN ('alert-rule', 'notification', 'baseline', 'custom-metric');
      DELETE FROM meta WHERE key = 'filled-monitoring'; DROP TABLE file_part;
      ALTER TABLE job DROP COLUMN error_message; PRAGMA user_version = 1;`);
    old.close();
    const second = openFilledStore(file, options);
    expect(second.stores.resources.list('model')).toEqual(models);
    expect(second.stores.resources.list('alert-rule')).toEqual(rules);
    expect(rules.length).toBeGreaterThan(8);
    second.stores.files.put({ fileId: 'f', number: 1, partId: 'p', bytes: Buffer.from('x') });
    expect(Buffer.from(second.stores.files.read('f')).toString()).toBe('x');
    second.db.close();
  });

  it('of a later version is rejected', () => {
    const file = join(folder, 'service.db');
    const later = new Database(file);
    later.pragma('user_version = 99');
    later.close();
    expect(() => openFilledStore(file, { nowMs: 0 })).toThrow('version 99');
  });

  it('in memory is a copy of the first workspace: a change in one is not in the next', () => {
    const options = { nowMs: at('2025-11-03T09:00:00Z') };
    const first = openFilledStore(null, options);
    const [model] = first.stores.resources.list('model');
    first.stores.resources.remove('model', String(model?.['id']));
    const second = openFilledStore(null, options);
    expect(second.stores.resources.list('model')[0]).toEqual(model);
    for (const { db } of [first, second]) db.close();
  });

  it('with copies enabled, a new file is one, and an existing file stays', () => {
    const options = { nowMs: at('2025-11-04T09:00:00Z'), imageFolder: folder };
    const [one, other] = [join(folder, 'one.db'), join(folder, 'other.db')];
    const first = openFilledStore(one, options);
    const [model] = first.stores.resources.list('model');
    first.stores.resources.remove('model', String(model?.['id']));
    first.db.close();
    const second = openFilledStore(other, options);
    expect(second.stores.resources.list('model')[0]).toEqual(model);
    const again = openFilledStore(one, options);
    expect(again.stores.resources.list('model').map(({ id }) => id)).not.toContain(model?.['id']);
    const inMemory = openFilledStore(null, options);
    expect(inMemory.stores.resources.list('model')[0]).toEqual(model);
    for (const { db } of [second, again, inMemory]) db.close();
  });
});
