/** Answers do not claim more than they hold: parts of lists, exact numbers, files that were not written. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-true-answers');
const CATALOG = ['catalog', 'Support assistant'];

test('the profile of a part of a list is not called complete', async () => {
  await rig.run(...CATALOG);
  const part = await rig.answered('profile', ...CATALOG);
  expect(part.storedRows).toBeLessThan(part.totalRows);
  expect(part.complete).toBe(false);
  const offline = await rig.run('profile', ...CATALOG, '--all', '--offline');
  expect(offline).toMatchObject({ code: 7, stderr: expect.stringMatching(/^error INCOMPLETE: Not all of/m) });
  const whole = await rig.answered('profile', ...CATALOG, '--all');
  expect(whole).toMatchObject({ complete: true, storedRows: part.totalRows });
});

test('the failure to write a file is reported although rows are missing too', async () => {
  await rig.run(...CATALOG);
  for (const name of ['no-such-folder/a.csv', 'no-such-folder/a.json']) {
    const file = rig.file(name);
    const failed = await rig.run(...CATALOG, '--all', '--offline', '--to-file', file);
    expect(failed.stderr).toMatch(/^error INCOMPLETE: /m);
    expect(failed.stderr).toMatch(/^error FILE_UNREADABLE: a\.\w+ could not be written/m);
    expect([failed.code, failed.stdout, existsSync(file)]).toEqual([1, '', false]);
  }
});

test('a CSV file of no records has the names of the columns', async () => {
  const file = rig.file('none.csv');
  await rig.run('models', '--search', 'no such model', '--to-file', file);
  expect(readFileSync(file, 'utf8')).toMatch(/^id,name,.*\n$/);
  await rig.run('models', '--search', 'no such model', '--fields', 'name,id', '--to-file', file);
  expect(readFileSync(file, 'utf8')).toBe('name,id\n');
});

test('jobs show writes each digit of a number', async () => {
  const body = '{"name": "Exact", "metadata": {"n": 12345678901234567890}}';
  const { entryId } = await rig.answered('create', 'projects', '--body', body, '--outbox');
  const shown = await rig.run('jobs', 'show', entryId, '--json');
  expect(shown.stdout).toContain('"metadata":{"n":12345678901234567890}');
});

test('a deletion of events is not widened to whole seconds, but its end is cut to fewer events', async () => {
  const range = (start: string, end: string) => [
    ...['delete-events', '--model', 'Card fraud', '--start', start, '--end', end, '--plan'],
  ];
  const refused = await rig.run(...range('2026-11-01T00:00:00.900Z', '2026-11-01T00:00:02Z'));
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(
    'Expected the start in whole seconds, by which the service deletes events,',
  );
  expect(refused.stderr).toContain('got a fraction of one (.9). Nothing was deleted.');
  for (const end of ['2026-11-01T23:59:59.999Z', '2026-11-01 23:59:59.95 UTC']) {
    const cut = await rig.run(...range('2026-11-01T00:00:00.000Z', end));
    expect(cut).toMatchObject({ code: 0 });
    expect(cut.stdout).toContain('Events from 2026-11-01 00:00:00 up to 2026-11-01 23:59:59');
    expect(cut.stderr).toContain('the end is 2026-11-01 23:59:59 UTC, without its fraction.');
  }
});

test.each([['test'], ['health', 'self-check']])('%s sends nothing with --offline', async (...words) => {
  await rig.run('jobs');
  const before = rig.service.report().requests;
  await rig.run(...words, '--offline');
  expect(rig.service.report().requests).toBe(before);
  await rig.run(...words);
  expect(rig.service.report().requests).toBeGreaterThan(before);
});
