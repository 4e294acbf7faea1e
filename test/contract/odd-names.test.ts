/**
 * A typed word that is also the name of a property of every object, such as `constructor`, is treated like any other.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { inspectFile } from '../../electron/uploads/sniff/inspect-file.ts';
import { cliRig } from '../helpers/cli-rig.ts';
import { churnCsv } from '../helpers/make-files.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { UploadRig } from '../helpers/upload-rig.ts';

const cli = cliRig('odd-names');
const NAMES = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];

test('settings, presets, operations, lists, delimiters and quotes with such a name are named as unknown', async () => {
  const file = cli.file('rows.csv');
  writeFileSync(file, 'a,b\n1,2\n');
  for (const name of [...NAMES, '__proto__']) {
    for (const args of [
      ['settings', 'get', name],
      ['presets', 'remove', name],
      ['budget', name],
      ['ls', name],
      ['profile', file, '--delimiter', name],
      ['profile', file, '--quote', name],
      ['help', name],
    ]) {
      const { code, stderr } = await cli.run(...args);
      expect(`${code} ${stderr}`).toMatch(/^[12] error (INVALID_ARGUMENT|NOT_FOUND): /);
    }
  }
});

test('columns with such a name become items, and __proto__, which parsers drop, is named as left out', async () => {
  const file = cli.file('odd.csv');
  writeFileSync(file, `${NAMES.join(',')},__proto__\na,b,c,d,lost\n`);
  const maps = NAMES.flatMap((name) => ['--map', `${name}=inputs.${name}`]);
  const dataset = 'Escalations, to be collected';
  const added = await cli.run('items', 'add', dataset, file, ...maps);
  expect(added.code).toBe(0);
  expect(added.stdout + added.stderr).toMatch(/__proto__/);
  const { items } = await cli.answered('items', dataset);
  expect(items.map(({ inputs }: { inputs: unknown }) => inputs)).toEqual([
    { constructor: 'a', toString: 'b', hasOwnProperty: 'c', valueOf: 'd' },
  ]);
  const asked = await cli.run('items', 'add', dataset, file, '--map', '__proto__=inputs.__proto__');
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('got inputs.__proto__') });
  const profile = await cli.run('profile', file);
  expect(profile.code).toBe(0);
  for (const name of [...NAMES, '__proto__']) expect(profile.stdout).toContain(name);
});

test('rows of JSON without a key of such a name have no value there', async () => {
  const file = cli.file('odd.jsonl');
  const first = Object.fromEntries([...NAMES.map((name) => [name, 'x']), ['a', 1]]);
  writeFileSync(file, `${JSON.stringify(first)}\n{"a":2}\n{"a":3,"__proto__":"lost"}\n`);
  const { columns } = await inspectFile({ path: file, fileId: 'file', override: null, seed: 0.5 });
  for (const { name, type, samples } of columns.filter((column) => NAMES.includes(column.name)))
    expect({ name, type, samples }).toEqual({ name, type: 'str', samples: ['x'] });
  const maps = NAMES.flatMap((name) => ['--map', `${name}=-`]);
  const dataset = 'Escalations, to be collected';
  const { ledger } = await cli.answered('items', 'add', dataset, file, ...maps, '--dry-run');
  const counts = ledger.leftOut.map(({ name, count, line }: Record<string, unknown>) => [name, count, line]);
  expect(Object.fromEntries(counts.map(([name, ...rest]: unknown[]) => [name, rest]))).toEqual({
    ...Object.fromEntries(NAMES.map((name) => [name, [1, 1]])),
    ['__proto__']: [1, 3],
  });
});

test('such columns are mapped, checked, sent, stored and exported under their own names', async () => {
  const raw = await RawService.start();
  await using rig = new UploadRig({ baseUrl: raw.service.baseUrl, token: TOKEN, haste: 100 });
  try {
    const [head = '', ...rows] = churnCsv(6).trim().split('\n');
    const named = head.replace('Age', 'constructor').replace('Geography', 'toString');
    const lines = rows.map((row) => `${row},extra,lost`);
    const file = rig.write('odd.csv', [`${named},valueOf,__proto__`, ...lines].join('\n'));
    const plan = await rig.plan(file, 'Bank churn');
    const given = { constructor: 'Age', toString: 'Geography' } as const;
    const own = new Map(Object.entries(given));
    const { columns: ofModel } = await rig.plan(rig.write('plain.csv', churnCsv(1)), 'Bank churn');
    const columns = plan.columns.map((column) => {
      const target = own.get(column.source);
      if (target === undefined) return column;
      return {
        ...column,
        target,
        type: ofModel.find(({ source }) => source === target)?.type ?? column.type,
      };
    });
    expect(columns.filter(({ source }) => own.has(source))).toHaveLength(2);
    const before = raw.service.events(plan.modelId).count;
    const job = await rig.uploads.whenIdle((await rig.uploads.createJob({ ...plan, columns }, true)).jobId);
    expect(job).toMatchObject({ state: 'done', counts: { acknowledged: 6, refused: 0 } });
    expect(raw.service.events(plan.modelId).count).toBe(before + 6);
    const sent = raw.service.events(plan.modelId).records.slice(-6);
    expect(sent.map((event) => [String(event['Age']), event['Geography']])).toEqual(
      rows.map((row) => [row.split(',')[3], row.split(',')[1]]),
    );
  } finally {
    await raw.service.stop();
  }
});

test('items with such keys are listed, queried and exported in every format', async () => {
  const file = cli.file('odd.csv');
  writeFileSync(file, `${NAMES.join(',')}\na,b,c,d\n`);
  const dataset = 'Escalations, to be collected';
  const maps = NAMES.flatMap((name) => ['--map', `${name}=metadata.${name}`]);
  expect((await cli.run('items', 'add', dataset, file, ...maps)).code).toBe(0);
  await cli.answered('items', dataset, '--all');
  for (const format of ['csv', 'jsonl', 'parquet', 'arrow']) {
    const target = cli.file(`out.${format}`);
    const { code, stderr } = await cli.run(
      'export',
      'datasets.items',
      '--dataset',
      dataset,
      '--output',
      target,
    );
    expect(`${code} ${stderr}`).toMatch(/^0 /);
    if (format === 'csv') {
      const [head = '', row = ''] = readFileSync(target, 'utf8').split('\n');
      const at = (name: string) => head.split(',').findIndex((each) => each.endsWith(`metadata.${name}`));
      expect(NAMES.map((name) => row.split(',')[at(name)])).toEqual(['a', 'b', 'c', 'd']);
    }
    if (format === 'jsonl')
      expect(JSON.parse(readFileSync(target, 'utf8').split('\n')[0] ?? '')).toMatchObject({
        metadata: { constructor: 'a', toString: 'b', hasOwnProperty: 'c', valueOf: 'd' },
      });
  }
  const views = await cli.answered('sql', '--views');
  const view = views.items.find(
    ({ operation }: { operation: string }) => operation === 'datasets.items',
  )?.name;
  const { items } = await cli.answered('sql', `SELECT * FROM ${view}`);
  expect(JSON.stringify(items)).toMatch(/"a".*"b".*"c".*"d"/);
  const profile = await cli.run('profile', 'datasets.items', '--dataset', dataset);
  expect(profile.code).toBe(0);
  for (const name of NAMES) expect(profile.stdout).toContain(name);
});

test('a file of items with a long column name is added, or refused in words if the name cannot be stored', async () => {
  const dataset = 'Escalations, to be collected';
  for (const [length, expected] of [
    [600, /^0 (done\n1 item added|.*1 item in 1 request)/s],
    [10_001, /^2 error INVALID_ARGUMENT: The name of column 1 has more than 10,000 characters/m],
  ] as const) {
    const file = cli.file(`${length}.csv`);
    writeFileSync(file, `${'x'.repeat(length)},q\n1,a\n`);
    for (const more of [['--dry-run'], []]) {
      const { code, stdout, stderr } = await cli.run('items', 'add', dataset, file, ...more);
      const said = code === 0 ? stdout : stderr.slice(stderr.indexOf('error'));
      expect(`${code} ${said}`).toMatch(expected);
    }
  }
});
