/**
 * Stored records with texts that JSON columns or SQL engines reject: each list can still be queried, profiled and
 * exported.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildSidecar } from '../../electron/analysis/sidecar-file.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { DATASET, LaterRig } from '../helpers/later-rig.ts';

const ODD = {
  'half of a sign': { text: '\ud800 lone' },
  'half of a sign in a name': { 'a\udc00': 1 },
  NUL: { text: 'a\u0000b' },
  'NUL in a name': { 'a\u0000b': 'x' },
  'an empty name': { '': 'nameless' },
  'an object where a text was': { text: { deep: ['\ud83d'] } },
  'deep names': { deep: { '': { '\u0000': '\udfff' } } },
};

describe('odd texts in items of a dataset', () => {
  let rig: LaterRig;
  let library: string;
  beforeAll(async () => {
    rig = await LaterRig.start();
    await rig.here(['items', DATASET, '--all']);
    const files = readdirSync(rig.folder.path, { recursive: true, encoding: 'utf8' });
    library = join(rig.folder.path, files.find((file) => file.endsWith('library.db')) ?? '');
  });
  afterAll(() => rig.end());

  test.each(Object.entries(ODD))('%s', async (name, odd) => {
    const db = new BetterSqlite(library);
    const place = `generation_id = (SELECT generation_id FROM list_row JOIN generation ON generation.id = generation_id
      JOIN list ON list.id = list_id WHERE query LIKE '%datasets.items%' LIMIT 1)`;
    const row = db.prepare(`SELECT position, record FROM list_row WHERE ${place} ORDER BY position LIMIT 1`);
    const { position, record } = row.get() as { position: number; record: string };
    const put = db.prepare(`UPDATE list_row SET record = ? WHERE ${place} AND position = ?`);
    const item = JSON.parse(record);
    put.run(JSON.stringify({ ...item, inputs: { ...item.inputs, ...odd }, ...odd }), position);
    db.prepare(
      `UPDATE generation SET revision = revision + 1 WHERE id = (SELECT max(id) FROM generation)`,
    ).run();
    db.close();
    const file = (ending: string) => join(rig.folder.path, `${Object.keys(ODD).indexOf(name)}.${ending}`);
    const commands = [
      ['sql', 'select * from items', '--all'],
      ['profile', 'datasets.items', '--dataset', DATASET],
      ...['csv', 'jsonl', 'parquet', 'arrow'].map((ending) => [
        'export',
        'datasets.items',
        '--dataset',
        DATASET,
        '--output',
        file(ending),
      ]),
    ];
    for (const command of commands) {
      const { code, stderr } = await rig.textHere(command);
      expect.soft(`${code} ${stderr}`, command.join(' ')).toMatch(/^0 /);
    }
    const [first = ''] = readFileSync(file('jsonl'), 'utf8').split('\n');
    expect(JSON.parse(first)).toMatchObject(odd);
  });

  test('items of a file with such texts are added, read and exported unchanged', async () => {
    const texts = ['half \ud800 of a sign', 'a \u0000 in it'];
    const file = rig.write('odd.jsonl', texts.map((question) => JSON.stringify({ question })).join('\n'));
    const dataset = 'Escalations, to be collected';
    expect((await rig.textHere(['items', 'add', dataset, file])).code).toBe(0);
    const { stdout } = await rig.textHere(['items', dataset, '--all', '--json']);
    const questionsOf = (items: { inputs: { question?: string } }[]) =>
      items.map(({ inputs }) => inputs.question).filter((text) => texts.includes(text ?? ''));
    expect(questionsOf(JSON.parse(stdout).items)).toEqual(texts);
    for (const ending of ['csv', 'jsonl', 'parquet', 'arrow']) {
      const output = join(rig.folder.path, `added.${ending}`);
      const exported = await rig.textHere([
        ...['export', 'datasets.items', '--dataset', dataset, '--output', output],
      ]);
      expect(`${exported.code} ${exported.stderr}`, ending).toMatch(/^0 /);
    }
    const lines = readFileSync(join(rig.folder.path, 'added.jsonl'), 'utf8').trimEnd().split('\n');
    expect(questionsOf(lines.map((line) => JSON.parse(line)))).toEqual(texts);
  });
});

test('two processes that prepare one list at once both have it; nobody else can read the file', async () => {
  using folder = new DataFolder();
  const libraryFile = folder.file('library.db');
  const db = new BetterSqlite(libraryFile);
  db.exec(`CREATE TABLE list_row (generation_id INTEGER, position INTEGER, record TEXT, text_id INTEGER);
    CREATE TABLE long_text_part (text_id INTEGER, from_character INTEGER, part TEXT)`);
  const add = db.prepare('INSERT INTO list_row VALUES (1, ?, ?, NULL)');
  for (let position = 0; position < 3_000; position += 1) add.run(position, JSON.stringify({ position }));
  add.run(3_000, '{"broken');
  db.close();
  const target = folder.file('list.duckdb');
  const build = () =>
    buildSidecar({ libraryFile, generationId: 1 }, target, folder.file('spill'), () => undefined);
  for (const built of await Promise.all([build(), build(), build()])) expect(built.rows).toBe(3_001);
  expect(statSync(target).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path).filter((name) => name.includes('.part'))).toEqual([]);
});
