/** `export --sorted` writes JSON Lines that depend only on the content of the rows, for version control. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-export-sorted');
const ASKED = ['--application', 'Support assistant', '--since', '7d'];
const read = (name: string) => readFileSync(rig.file(name), 'utf8');

test('two exports of equal rows are equal files, whatever the order of the list', async () => {
  const write = (name: string, ...more: string[]) =>
    rig.answered('export', 'spans', ...ASKED, ...more, '--output', rig.file(name));
  const whole = await write('plain.jsonl');
  await write('a.jsonl', '--sorted');
  await write('b.jsonl', '--sorted', '--ordering', 'start_time');
  expect(read('b.jsonl')).toBe(read('a.jsonl'));
  const lines = read('a.jsonl').trimEnd().split('\n');
  expect(lines).toHaveLength(whole.rows);
  const ids = lines.map((line) => JSON.parse(line).span_id);
  expect(ids).toEqual(ids.toSorted());
  for (const line of lines.slice(0, 20)) {
    const keys = Object.keys(JSON.parse(line));
    expect(keys).toEqual(keys.toSorted());
  }
  // No value is lost, as both files have the same records.
  const plain = read('plain.jsonl').trimEnd().split('\n');
  const byId = new Map(plain.map((line) => [JSON.parse(line).span_id, JSON.parse(line)]));
  for (const line of lines) expect(JSON.parse(line)).toEqual(byId.get(JSON.parse(line).span_id));
});

test('--sorted belongs to JSON Lines of rows', async () => {
  for (const more of [
    ['--output', rig.file('x.csv')],
    ['--output', rig.file('x.jsonl'), '--as', 'chat'],
  ])
    expect(await rig.run('export', 'spans', ...ASKED, '--sorted', ...more)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--sorted expects --output FILE.jsonl'),
    });
});
