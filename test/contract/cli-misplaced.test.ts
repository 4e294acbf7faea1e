/** Words in the wrong place of a command line, and errors in the form for scripts. */
import { expect, test } from 'vitest';
import { helpText } from '../../electron/cli/help.ts';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-misplaced');
const SPANS = ['spans', '--application', 'Support assistant', '--since', '1d', '--limit', '2'];

test('a value may begin with a dash', async () => {
  const { items } = await rig.answered('models', '--ordering', '-name');
  expect(items.map(({ name }: { name: string }) => name)).toEqual([
    'Card fraud',
    'Bank churn',
    'Auto insurance value',
  ]);
  const longest = await rig.answered(...SPANS, '--ordering', '-duration', '--fields', 'duration');
  expect(longest.items[0].duration).toBeGreaterThanOrEqual(longest.items[1].duration);
  expect((await rig.run('models', '--limit', '-5')).stderr).toMatch(
    /--limit expects a whole number of at least 1, got -5/,
  );
  expect(await rig.run('models', '--ordering', '-h')).toMatchObject({ code: 2 });
});

test.each<[string[], RegExp]>([
  [
    ['spans', 'Support assistant', '--since', '1d'],
    /got also Support assistant\. Did you mean --application "Support assistant"\?$/m,
  ],
  [['ls', 'models', 'Card fraud'], /got also Card fraud\. Did you mean get models "Card fraud"\?$/m],
  [['delete', 'events', '--before', 'today'], /delete events is the command delete-events\./],
  [
    [
      'export',
      'spans',
      '--application',
      'Support assistant',
      '--since',
      '1d',
      '--limit',
      '5',
      '--output',
      'x.csv',
    ],
    /all rows are written\. A part of a list: .*--limit N --to-file FILE\.csv\.$/m,
  ],
  [['models', 'Card', 'fraud'], /got also Card\. Put quotes around a name with spaces\.$/m],
])('%j names the meant words', async (words, reason) => {
  const { code, stderr } = await rig.run(...words);
  expect(stderr).toMatch(reason);
  expect(code).toBe(2);
});

test('part of a name proposes the names that contain it, and offers no other record as an example', async () => {
  const part = await rig.run('get', 'experiments', 'prompt v2');
  expect(part.stderr).toMatch(/Did you mean Prompt v2, shorter answers \([\da-f-]{36}\)/);
  const none = await rig.run('get', 'experiments', 'nosuch');
  expect(none.stderr).toMatch(/Expected the exact name, or the id; ls experiments lists them\.$/m);
  expect(none.stderr).not.toMatch(/[\da-f]{8}-/);
});

test('a deletion of nothing plans nothing', async () => {
  const one = await rig.run('delete', 'datasets', 'no such dataset');
  expect(one).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^error NOT_FOUND: /) });
  const several = await rig.run('delete', 'datasets', 'no such dataset', 'nor this one');
  expect(several.stderr).toMatch(/None of these was found\. Nothing was deleted\.$/m);
  expect(several.stdout).not.toContain('Delete a dataset');
});

test('with --json a failure is one JSON object too', async () => {
  const lastOf = (stderr: string) => JSON.parse(stderr.trim().split('\n').at(-1) ?? '');
  const missing = await rig.run('get', 'models', 'nosuch', '--json');
  expect(missing.stderr).toMatch(/^error NOT_FOUND: /m);
  expect(lastOf(missing.stderr)).toEqual({
    error: {
      code: 'NOT_FOUND',
      message: expect.stringContaining('nosuch'),
      ...{ nextStep: null, status: null, exitCode: 1 },
    },
  });
  rig.service.setFaults([{ match: { operation: 'models.list' }, action: { type: 'status', status: 401 } }]);
  const refused = await rig.run('models', '--json');
  expect(lastOf(refused.stderr)).toMatchObject({ error: { code: 'UNAUTHORIZED', status: 401, exitCode: 6 } });
  expect(lastOf((await rig.run('models', '--json', '--nosuch')).stderr)).toMatchObject({
    error: { exitCode: 2 },
  });
  expect((await rig.run('models', '--nosuch')).stderr).not.toContain('{');
});

test('stored rows are not a new answer if the token is refused', async () => {
  await rig.run('models');
  rig.service.setFaults([{ match: { operation: 'models.list' }, action: { type: 'status', status: 401 } }]);
  const stored = await rig.run('models');
  expect(stored.stdout).toContain('Card fraud');
  expect(stored.stderr).toMatch(
    /^error UNAUTHORIZED: .* stored as of .* --offline answers from what is stored/m,
  );
  expect(stored.code).toBe(6);
  expect((await rig.run('models', '--offline')).code).toBe(0);
  await rig.run('schema', 'Support answers, golden set');
  rig.service.setFaults([
    { match: { operation: 'datasets.schema' }, action: { type: 'status', status: 403 } },
  ]);
  const record = await rig.run('schema', 'Support answers, golden set');
  expect(record).toMatchObject({
    code: 6,
    stderr: expect.stringMatching(/^error FORBIDDEN: .* stored as of /m),
  });
});

test('the fields of spans are a table of whole keys', async () => {
  const { stdout } = await rig.run('span-fields', '--application', 'Support assistant', '--since', '1d');
  expect(stdout).toMatch(/^field +spans\n/);
  expect(stdout).toMatch(
    /^SpanAttribute::gen_ai\.request\.model +\d+$|^SpanAttribute::system\.gen_ai\.request\.model +\d+$/m,
  );
  expect(stdout).toMatch(/^\d+ fields of \d+ spans/m);
});

test('the help of query shows a body that works with the ids of a model', async () => {
  const [shown = ''] = /\{"project_id".*\}(?=')/.exec(helpText('query')) ?? [];
  expect((await rig.run('query')).stderr).toContain(shown);
  const [model] = (await rig.answered('models', '--search', 'Bank churn')).items;
  const body = JSON.parse(shown);
  body.project_id = model.project.id;
  body.queries[0].model_id = model.id;
  const { code, stdout } = await rig.run('query', '--since', '30d', '--body', JSON.stringify(body));
  expect({ code, hasResults: stdout.includes('results') }).toEqual({ code: 0, hasResults: true });
  const sentRange = async (zone: string, ...range: string[]) => {
    body.filters = { ...body.filters, time_zone: zone };
    const asked = await rig.answered('query', ...range, '--body', JSON.stringify(body));
    return asked.filters.time_range;
  };
  const range = ['--start', '2026-11-20T00:00:00Z', '--end', '2026-11-27T00:00:00Z'];
  expect(await sentRange('UTC', ...range)).toEqual({
    ...{ start_time: '2026-11-20T00:00:00+00:00', end_time: '2026-11-27T00:00:00+00:00' },
  });
  expect(await sentRange('Asia/Tokyo', ...range)).toEqual({
    ...{ start_time: '2026-11-20T09:00:00+09:00', end_time: '2026-11-27T09:00:00+09:00' },
  });
  expect((await sentRange('America/New_York', '--since', '30d')).end_time).toMatch(
    /T\d\d:\d\d:\d\d-0[45]:00$/,
  );
  body.filters.time_zone = 'Tokyo';
  const noZone = await rig.run('query', '--since', '30d', '--body', JSON.stringify(body));
  expect(noZone).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(
      'Expected filters.time_zone to be the name of a time zone, such as Europe/Berlin or UTC, got "Tokyo".',
    ),
  });
  const wrong = await rig.run('query', '--since', '30d', '--body', '{"project_id": "x"}');
  expect(wrong).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--body: project_id: .*A body is such as/),
  });
});
