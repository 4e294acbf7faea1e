/** Snapshots of a dataset on the command line, with a real service. Each complete read of the items creates one. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';
import { TOKEN } from '../helpers/sample-service.ts';

const EMPTY = 'Escalations, to be collected';
const cli = cliRig('cli-snapshots');
const { answered } = cli;
const run = (...args: string[]) => cli.run(...args, '--json');

test('complete fetches are snapshots: listed, compared, and written unchanged', async () => {
  const none = await run('diff', EMPTY, EMPTY);
  expect(none.code).not.toBe(0);
  expect(none.stderr).toContain('No snapshot');
  await run('items', EMPTY, '--all');
  const file = cli.file('q.csv');
  writeFileSync(file, 'question,answer\nWhen?,Now\nWhy?,Because\n');
  await run('items', 'add', EMPTY, file);
  const { items: stored } = await answered('items', EMPTY, '--all');
  const listed = await answered('snapshots', EMPTY);
  expect(listed.items).toMatchObject([
    { number: 2, items: 2, added: 2, changed: 0, removed: 0 },
    { number: 1, items: 0, added: 0 },
  ]);
  const found = await answered('diff', `${EMPTY}@1`, EMPTY, '--kind', 'added');
  expect(found).toMatchObject({ counts: { added: 2, changed: 0, removed: 0, same: 0 }, total: 2 });
  expect(found.items.map(({ title }: { title: string }) => title)).toEqual(['When?', 'Why?']);
  // The text output has one line per snapshot.
  const read = async (...args: string[]) => (await cli.run(...args)).stdout.split('\n');
  expect(await read('snapshots', EMPTY)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^number +takenAt/),
      expect.stringMatching(/^2 .* 2 +2 +0 +0/),
    ]),
  );
  expect(await read('diff', `${EMPTY}@1`, EMPTY)).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^change +item/),
      expect.stringMatching(/^added .* When\?$/),
      expect.stringMatching(/^added .* Why\?$/),
    ]),
  );
  const output = cli.file('state.jsonl');
  await run('snapshots', `${EMPTY}@2`, '--output', output);
  const lines = readFileSync(output, 'utf8').trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(stored);

  const exported = async (table: readonly string[], name: string) => {
    const manifest = await answered('export', ...table, '--output', cli.file(name));
    const rows = readFileSync(cli.file(name), 'utf8').trim().split('\n');
    return { manifest, rows: rows.map((row) => JSON.parse(row)) };
  };
  const changes = await exported(['changes', `${EMPTY}@1`, EMPTY], 'changes.jsonl');
  expect(changes.manifest).toMatchObject({
    ...{ rows: 2, complete: true },
    source: { table: 'changes', from: { version: 1, items: 0 }, to: { version: 2, items: 2 } },
  });
  expect(changes.rows).toMatchObject([
    { change: 'added', before: null, after: { inputs: { question: 'When?' } } },
    { change: 'added', before: null, after: { inputs: { question: 'Why?' } } },
  ]);
  // A past state can be exported in every format. Here it is unchanged.
  const version = await exported(['version', `${EMPTY}@2`], 'version.jsonl');
  expect(version.rows).toEqual(stored);
  expect(version.manifest).toMatchObject({ rows: 2, source: { table: 'version', version: 2, items: 2 } });
  const requests = await exported(['requests'], 'requests.jsonl');
  expect(requests.rows).toContainEqual(
    expect.objectContaining({ operation: expect.stringMatching(/^GET .*items/), status: 200 }),
  );
  expect(readFileSync(cli.file('requests.jsonl'), 'utf8')).not.toContain(TOKEN);
  const missing = await run('export', 'changes', EMPTY, '--output', cli.file('x.csv'));
  expect(missing.stderr).toContain('export changes expects A and B');
});

test('items of one dataset whose input occurs in another one are named, near-duplicates too', async () => {
  const source = 'Support answers, golden set';
  const { items } = await answered('items', source, '--all');
  const long =
    'Where is the parcel that I ordered on Monday of last week? Your page says it was handed over.';
  const rows = [{ question: 'Nobody asked this before' }, { question: long }];
  const file = cli.file('train.jsonl');
  const near = [{ question: long.replace('Monday', 'Sunday') }, items[0].inputs];
  writeFileSync(file, rows.map((inputs) => JSON.stringify({ inputs })).join('\n'));
  await run('items', 'add', EMPTY, file);
  writeFileSync(file, near.map((inputs) => JSON.stringify({ inputs })).join('\n'));
  await run('items', 'add', source, file);
  await run('items', EMPTY, '--all');
  await run('items', source, '--all');
  const sent = cli.service.report().requests;
  const found = await answered('diff', EMPTY, source, '--near-duplicates', '--offline');
  expect(found).toMatchObject({ counts: { same: 0, near: 1 }, total: 1, threshold: 0.85, complete: true });
  expect(found.items).toMatchObject([{ inputs: long.replace('Monday', 'Sunday') }]);
  expect(
    await answered('diff', EMPTY, source, '--near-duplicates', '--threshold', '1', '--offline'),
  ).toMatchObject({
    total: 0,
  });
  // Near-duplicates within a dataset: the item that was added again.
  const within = await answered('diff', source, source, '--near-duplicates', '--kind', 'same', '--offline');
  expect(within.items).toContainEqual(expect.objectContaining({ likeness: 1 }));
  expect(cli.service.report().requests).toBe(sent);
  const refused = await cli.run('diff', EMPTY, source, '--near-duplicates', '--threshold', '0.2');
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('from 0.5 to 1') });
});

test('a missing number is rejected with the existing ones', async () => {
  await run('items', EMPTY, '--all');
  const refused = await run('diff', `${EMPTY}@7`, EMPTY);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('It has 1.');
});

test('a past state becomes a new dataset, item for item, and the old one stays', async () => {
  const source = 'Support answers, golden set';
  const { items: before } = await answered('items', source, '--all');
  const file = cli.file('more.jsonl');
  // Numbers beyond the precision of JavaScript stay unchanged.
  writeFileSync(file, '{"inputs":{"question":"Later","big":9007199254740993}}\n');
  await run('items', 'add', source, file);
  await run('items', source, '--all');
  const made = await answered('snapshots', `${source}@1`, '--new-dataset', 'Golden set of May');
  expect(made).toMatchObject({ state: 'done', added: before.length, refused: 0, badRows: 0 });
  const whole = await answered('snapshots', `${source}@2`, '--new-dataset', 'Golden set of June');
  expect(whole).toMatchObject({ state: 'done', added: before.length + 1 });
  type Item = Record<string, unknown>;
  const content = ({ inputs, expected_outputs, metadata, extras, source_name, source_id }: Item) => ({
    ...{ inputs, expected_outputs, metadata, extras, source_name, source_id },
  });
  const restored = await answered('items', 'Golden set of May', '--all');
  const byText = (all: Item[]) => all.map((item) => JSON.stringify(content(item))).toSorted();
  expect(byText(restored.items)).toEqual(byText(before));
  const { stdout } = await run('items', 'Golden set of June', '--all');
  expect(stdout).toContain('9007199254740993');
  expect((await answered('items', source, '--all')).total).toBe(before.length + 1);
  const refused = await run('snapshots', `${source}@1`, '--new-dataset', 'Golden set of May');
  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain('A dataset named Golden set of May exists');
});
