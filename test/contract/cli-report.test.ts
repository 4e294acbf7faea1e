/**
 * `report` and `verify` on the command line: each kind of report is made offline, is the same if written twice, and can
 * be verified.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { dataPaths } from '../../electron/platform/paths.ts';
import { VIEWS_KEY } from '../../electron/shared/saved-view.ts';
import { LaterRig, MODEL } from '../helpers/later-rig.ts';

const DATASET = 'Support answers, golden set';
const APPLICATION = 'Support assistant';
/** An answer that is not concise, so that each item improves. */
const LONG = 'word '.repeat(80).trim();
let rig: LaterRig;
const found: Record<string, readonly string[]> = {};

beforeAll(async () => {
  rig = await LaterRig.start();
  const first = await ask(...rig.scores());
  const again = rig.scores().map((part) => (part.startsWith('response=') ? `response=@${LONG}` : part));
  const second = await ask(...again);
  found['scores'] = [second.runId, first.runId];
  await ask('items', DATASET, '--all');
  found['version'] = [DATASET];
  found['changes'] = [DATASET, DATASET];
  await ask('catalog', APPLICATION, '--entity-type', 'span_type', '--all');
  const spans = await ask('spans', '--application', APPLICATION, '--since', '7d');
  await ask('coverage', DATASET);
  found['coverage'] = [DATASET];
  found['trace'] = [spans.items[0].trace_id];
  const [rule] = (await ask('ls', 'alert-rules', '--all')).items;
  found['alert'] = [rule.name];
  const models = (await ask('ls', 'models', '--all')).items;
  const model = models.find(({ name }: { name: string }) => name === MODEL);
  const body = {
    ...{ project_id: model.project.id, query_type: 'MONITORING' },
    queries: [{ query_key: 'a', model_id: model.id, metric: 'traffic', columns: [] }],
  };
  const tiles = JSON.stringify([
    { id: 'a', title: 'Traffic', about: MODEL, body, right: [], top: 0, whole: 0 },
  ]);
  const board = {
    ...{ id: 'b1', name: 'Churn', kind: 'board', title: 'Churn', isStarred: false, savedAtMs: 1, grid: null },
    params: { board: 'own:1', tiles, label: '30d', compare: '' },
  };
  const paths = dataPaths(rig.folder.path);
  const [connectionId = ''] = readdirSync(paths.connectionsDir);
  writeFileSync(paths.layoutFile(connectionId), JSON.stringify({ [VIEWS_KEY]: [board] }));
  found['board'] = ['Churn'];
  for (const kind of ['alert', 'board'])
    await ask('report', kind, ...(found[kind] ?? []), '--output', file('first.html'));
});
afterAll(async () => {
  expect(await rig.end()).toMatchObject({ violations: 0, unknownRoutes: 0, malformedRequests: 0 });
});

const ask = async (...words: string[]) => {
  const { code, stdout, stderr } = await rig.here(words);
  if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return JSON.parse(stdout);
};
const file = (name: string) => join(rig.folder.path, name);
const sent = () => rig.raw.service.report().requests;

test.each(['scores', 'version', 'changes', 'coverage', 'trace', 'board', 'alert'])(
  'a report about %s is written offline, the same each time, and verified',
  async (kind) => {
    const names = found[kind] ?? [];
    const before = sent();
    const [one, other] = [file(`${kind}-1.html`), file(`${kind}-2.html`)];
    const written = await ask('report', kind, ...names, '--output', one, '--offline');
    await ask('report', kind, ...names, '--output', other, '--offline');
    expect(sent()).toBe(before);
    expect(written).toMatchObject({ kind, file: one, sizeBytes: statSync(one).size, fingerprint: null });
    // In these tests the keychain always fails.
    expect(written.unsigned).toMatch(/^The keychain of this computer gave no key\. It said: [^.]+\. Start/);
    if (kind !== 'changes') expect(written.rows).toBeGreaterThan(0);
    expect(readFileSync(one, 'utf8')).toBe(readFileSync(other, 'utf8'));
    const verified = await ask('verify', one);
    expect(verified).toMatchObject({ verified: true, kind, title: written.title, fingerprint: null });
    expect(verified.items.map(({ what, result }: Record<string, string>) => `${what} ${result}`)).toEqual([
      ...['Content ok', 'Signature unknown', 'Rows ok', 'Figures ok', 'Page ok'],
    ]);
  },
);

test('the columns of a trace have the words of the window, with their units', async () => {
  await ask('report', 'trace', ...(found['trace'] ?? []), '--output', file('titles.html'), '--offline');
  const text = readFileSync(file('titles.html'), 'utf8');
  for (const title of ['Status', 'Start', 'Duration, ms', 'Input tokens'])
    expect(text).toContain(`"title":"${title}"`);
});

test('the figures of a comparison are those of the command that compares', async () => {
  const ids = found['scores'] ?? [];
  await ask('report', 'scores', ...ids, '--output', file('scores.html'));
  const text = readFileSync(file('scores.html'), 'utf8');
  const sentence = (await rig.textHere(['scores', 'compare', ...ids])).stdout;
  const [verdict = ''] = /(Worse by|Better by|Cannot tell)[^.]*/.exec(sentence) ?? [];
  expect(verdict).not.toBe('');
  expect(text).toContain(`<strong>${verdict}</strong>`);
});

test('two experiments are reported with the figures of their comparison, once all results are stored', async () => {
  const runs = ['Baseline, prompt v1', 'Prompt v2, shorter answers'];
  await ask('experiments', 'list', '--all');
  const early = await rig.here(['report', 'scores', ...runs, '--output', file('runs.html'), '--offline']);
  expect(early).toMatchObject({ code: 4, stderr: expect.stringMatching(/^error NOT_STORED/m) });
  expect(existsSync(file('runs.html'))).toBe(false);
  const written = await ask('report', 'scores', ...runs, '--output', file('runs.html'));
  expect(written).toMatchObject({ rows: 1_250 });
  expect(await ask('verify', file('runs.html'))).toMatchObject({ verified: true, rows: 1_250 });
  const text = readFileSync(file('runs.html'), 'utf8');
  for (const name of runs) expect(text).toContain(name);
  // Inputs of experiments can come from any of their fields, so masking one field masks them all.
  await ask('settings', 'set', 'privateFields', '["inputs.anything"]');
  const masked = await ask('report', 'scores', ...runs, '--output', file('masked.html'), '--offline');
  expect(masked).toMatchObject({ masked: ['title'] });
  await ask('settings', 'reset', 'privateFields');
});

test('a changed file fails, with the check that found it', async () => {
  const ids = found['scores'] ?? [];
  await ask('report', 'scores', ...ids, '--output', file('changed.html'));
  const { stdout, stderr, code } = await rig.here(['verify', file('changed.html')]);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, verified: true, signed: false });
  expect(stderr).toContain('Nobody signed it');
  writeFileSync(
    file('changed.html'),
    readFileSync(file('changed.html'), 'utf8').replace('<strong>', '<strong>9'),
  );
  const answer = await rig.here(['verify', file('changed.html')]);
  expect(answer).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error FILE_CHANGED: .*Content: /m),
  });
  expect(JSON.parse(answer.stdout)).toMatchObject({ verified: false });
  expect(await rig.here(['verify', file('nothing.html')])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^error FILE_NOT_FOUND/m),
  });
  expect((await rig.here(['verify', rig.folder.path])).stderr).toContain('got the folder');
  // An invalid byte differs from the replacement character that a tolerant reader would make of it.
  const bytes = readFileSync(file('changed.html'));
  bytes[bytes.indexOf('<strong>9') + 8] = 0xff;
  writeFileSync(file('changed.html'), bytes);
  expect((await rig.here(['verify', file('changed.html')])).stderr).toMatch(/^error FILE_CHANGED: .*UTF-8/m);
});

test('only chosen fields are inside, and masked ones are named', async () => {
  const ids = found['scores'] ?? [];
  const some = await ask(
    'report',
    'scores',
    ...ids,
    '--fields',
    'item_id,title',
    '--mask',
    'title',
    '--output',
    file('a.html'),
  );
  expect(some).toMatchObject({ masked: ['title'] });
  expect(readFileSync(file('a.html'), 'utf8')).toContain('<dt>Masked</dt><dd>title</dd>');
  const refused = await rig.here([
    'report',
    'scores',
    ...ids,
    '--fields',
    'secret',
    '--output',
    file('b.html'),
  ]);
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('got secret. It can have position, item_id'),
  });
});

test('a mistyped mask writes nothing, and a masked field is not in the page at all', async () => {
  const [id = ''] = found['trace'] ?? [];
  const words = (mask: string, name: string) => [
    'report',
    'trace',
    id,
    '--mask',
    mask,
    '--output',
    file(name),
  ];
  expect(await rig.here(words('emial', 'typo.html'))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/got emial, which this report does not have. It has .*trace_id/),
  });
  expect(existsSync(file('typo.html'))).toBe(false);
  await ask(...words('trace_id', 'masked.html'));
  expect(readFileSync(file('masked.html'), 'utf8')).not.toContain(id);
});

test.each([
  [['report', 'score', 'a', '--output', 'a.html'], 'Did you mean scores?'],
  [['report', 'scores', 'a', '--output', 'a.html'], 'report scores expects BEFORE AFTER'],
  [
    ['report', 'trace', 'a', '--output', 'a.pdf'],
    '--output expects the name of an .html file, got a.pdf. For a PDF, choose “Save as PDF…”',
  ],
  [['report', 'trace', 'a', '--days', '3', '--output', 'a.html'], 'report trace takes no --days'],
  [['report', 'trace', '--output', 'a.html'], 'report trace expects ID'],
  [['report', 'alert', 'x', '--days', 'week', '--output', 'a.html'], '--days expects a whole number'],
  [
    ['report', 'alert', 'x', '--days', '99999', '--output', 'a.html'],
    '--days expects at most 3650, got 99999',
  ],
  [['report', 'review', '--output', 'a.html'], 'No build on this connection has a review. Review spans'],
  [['report', 'trace', 'a', '--output', '/nowhere/a.html'], 'Expected an existing folder, got /nowhere'],
  [['report', 'trace', 'a', '--mask', ' ', '--output', 'a.html'], '--mask expects the name of a field'],
  [['verify'], 'verify expects FILE'],
  [['verify', 'a.html', '--fingerprint', 'x'], '--fingerprint expects'],
])('%j says what is expected', async (words, expected) => {
  const { code, stderr } = await rig.here(words);
  expect(code).not.toBe(0);
  expect(stderr).toContain(expected);
});

test('without a network, the newest stored history of a rule is used, and its range is stated', async () => {
  const [name = ''] = found['alert'] ?? [];
  await ask('report', 'alert', name, '--days', '12', '--output', file('12.html'));
  const week = await rig.here([
    'report',
    'alert',
    name,
    '--days',
    '7',
    '--output',
    file('7.html'),
    '--offline',
  ]);
  expect(week).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('The newest stored history of this rule'),
  });
  const { facts } = await ask('verify', file('7.html'));
  expect(facts.find(({ label }: { label: string }) => label === 'Range').text).toMatch(
    /^\d{4}-\S+Z to \d{4}-\S+Z$/,
  );
});

test('an existing file is replaced, a folder is not', async () => {
  const names = ['report', 'trace', ...(found['trace'] ?? []), '--output'];
  writeFileSync(file('there.html'), 'older');
  await ask(...names, file('there.html'));
  expect(readFileSync(file('there.html'), 'utf8')).toMatch(/^<!doctype html>/);
  mkdirSync(file('folder.html'));
  expect((await rig.here([...names, file('folder.html')])).stderr).toContain('got the folder');
});

test('the report names the data that is not stored', async () => {
  const trace = await rig.here(['report', 'trace', 'ffff', '--output', file('c.html')]);
  expect(trace).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('No span of the trace ffff is stored'),
  });
  const board = await rig.here(['report', 'board', 'Other', '--output', file('c.html')]);
  expect(board.stderr).toContain('No saved board Other');
});
