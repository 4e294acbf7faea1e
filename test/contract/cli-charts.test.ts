/** `export chart`: the values of a saved chart in every format, with the earlier period for comparison. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataPaths } from '../../electron/platform/paths.ts';
import { realClock } from '../../electron/sample-service/real-clock.ts';
import type { JsonObject } from '../../electron/shared/json-fields.ts';
import { LaterRig, MODEL } from '../helpers/later-rig.ts';

const filters = {
  ...{ time_label: null, time_zone: 'UTC', bin_size: 'Day' },
  time_range: { start_time: '2026-03-10T00:00:00Z', end_time: '2026-03-13T00:00:00Z' },
};
let rig: LaterRig;
beforeAll(async () => {
  // The charts are about days in March 2026, and the generated models would be newer than that in a later year.
  const nowMs = Date.UTC(2026, 3, 1, 12);
  rig = await LaterRig.start({ clock: { ...realClock, nowMs: () => nowMs } });
  const [model] = (await ask('ls', 'models', '--all')).items.filter(
    ({ name }: { name: string }) => name === MODEL,
  );
  const [application] = (await ask('ls', 'applications')).items;
  const compared = { time_comparison: 'Previous Week', filters };
  const charts: JsonObject = {
    Traffic: {
      ...{ ...compared, project_id: model.project.id, query_type: 'MONITORING' },
      queries: [{ query_key: 'a', model_id: model.id, metric: 'traffic', columns: [] }],
    },
    Calls: {
      ...{ ...compared, application_id: application.id },
      queries: [{ query_key: 'a', metric: 'span_count' }],
    },
  };
  const list = Object.entries(charts).map(([name, body]) => ({ id: name.toLowerCase(), name, body }));
  const paths = dataPaths(rig.folder.path);
  const [connectionId = ''] = readdirSync(paths.connectionsDir);
  writeFileSync(paths.layoutFile(connectionId), JSON.stringify({ charts: { list } }));
});
afterAll(async () => {
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const ask = async (...words: string[]) => {
  const { code, stdout, stderr } = await rig.here(words);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};
const fileOf = (name: string) => join(rig.folder.path, name);
const sent = () => rig.raw.service.report().requests;

test('a compared chart in each format: every value with the earlier one and the difference', async () => {
  const manifest = await ask('export', 'chart', 'Traffic', '--output', fileOf('traffic.jsonl'));
  expect(manifest).toMatchObject({
    ...{ rows: 3, complete: true },
    source: {
      ...{ table: 'chart', earlier: null },
      comparison: { with: 'Previous Week', found: true, series: 1, valuesWithoutCounterpart: 0 },
    },
    timeRanges: [
      { column: 'time', from: '2026-03-10T00:00:00.000Z', to: '2026-03-12T00:00:00.000Z' },
      { column: 'earlier_time', from: '2026-03-03T00:00:00.000Z', to: '2026-03-05T00:00:00.000Z' },
    ],
  });
  const lines = readFileSync(fileOf('traffic.jsonl'), 'utf8').trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line));
  for (const { value, earlier_value: earlier, difference } of rows) {
    expect(earlier).toEqual(expect.any(Number));
    expect(difference).toBe(value - earlier);
  }
  // The values are stored now.
  await ask('export', 'chart', 'traffic', '--output', fileOf('traffic.csv'), '--offline');
  expect(readFileSync(fileOf('traffic.csv'), 'utf8').trimEnd().split('\n')).toEqual([
    'time,series,value,earlier_time,earlier_value,difference,query,metric,column',
    ...rows.map((row) => Object.values(row).join(',')),
  ]);
  await ask('export', 'chart', 'Traffic', '--output', fileOf('traffic.parquet'), '--offline');
  const bytes = Uint8Array.from(readFileSync(fileOf('traffic.parquet'))).buffer;
  const typed = await parquetReadObjects({ file: bytes, compressors });
  expect(typed.map((row) => [row['earlier_time'], Number(row['difference'])])).toEqual(
    rows.map((row) => [new Date(row['earlier_time']), row['difference']]),
  );
});

test('a missing comparison is reported, and the earlier period is requested on demand', async () => {
  const plain = await rig.textHere(['export', 'chart', 'Calls', '--output', fileOf('calls.jsonl')]);
  expect(plain).toMatchObject({ code: 0, stderr: expect.stringContaining('--earlier') });
  expect(readFileSync(fileOf('calls.jsonl'), 'utf8')).not.toContain('difference');
  const manifest = await ask('export', 'chart', 'Calls', '--output', fileOf('both.jsonl'), '--earlier');
  expect(manifest.source).toMatchObject({
    comparison: { found: true },
    earlier: {
      body: {
        filters: {
          time_range: { start_time: '2026-03-03T00:00:00.000Z', end_time: '2026-03-05T00:00:01.000Z' },
        },
      },
    },
  });
  const [first = ''] = readFileSync(fileOf('both.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(first)).toMatchObject({
    earlier_time: '2026-03-03T00:00:00.000Z',
    difference: expect.any(Number),
  });
});

test('an unsaved chart is not found, and other tables accept no --earlier', async () => {
  const before = sent();
  const wrong = await rig.textHere(['export', 'chart', 'Trafic', '--output', fileOf('x.csv')]);
  expect(wrong.stderr).toMatch(/^error NOT_FOUND: No saved chart Trafic on this connection\..*Traffic/m);
  for (const words of [['requests'], ['datasets']]) {
    const refused = await rig.textHere(['export', ...words, '--output', fileOf('x.csv'), '--earlier']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--earlier') });
  }
  expect(sent()).toEqual(before);
});
