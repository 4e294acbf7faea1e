/**
 * `spandeck mcp` and `agents`: what an agent can read, that it can do nothing else, and that the user sees the reads
 * and can end them.
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { tokensOf } from '../../electron/cli/answer-shape.ts';
import { resourcesWith } from '../../electron/cli/resource-table.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { AgentClient } from '../helpers/agent-client.ts';
import { cliRig } from '../helpers/cli-rig.ts';
import { runHere } from '../helpers/run-here.ts';

const APPLICATION = 'Support assistant';
const DATASET = 'Support answers, golden set';
const MAX_TOKENS = 4_000;

/** The name of the only connection. */
let name = '';
const rig = cliRig('mcp', async ({ run, answered }) => {
  // More than the 500 spans that a test asks for.
  await run('spans', '--application', APPLICATION, '--since', '7d', '--all');
  for (const list of ['applications', 'datasets', 'models']) await run(list, '--all');
  await run('items', DATASET, '--all');
  // At first, agents may read no connection.
  expect((await answered('agents')).items).toEqual([]);
  const { connections } = await answered('doctor');
  name = connections[0].name;
});

test('an agent reads the stored data of an open connection, in small answers, without a request', async () => {
  const open = await rig.run('agents', 'open', name);
  expect(open.stdout).toMatch(/may now read .* They cannot change or send anything/);
  const requests = rig.service.report().requests;
  await using agent = await AgentClient.start(rig.folder);

  const { tools } = await agent.ask('tools/list', {});
  const all = tools as { name: string; annotations: object }[];
  expect(all.map(({ annotations }) => annotations)).toEqual(
    all.map(() => expect.objectContaining({ readOnlyHint: true })),
  );

  // Each question is answered in one call, starting from the overview.
  const overview = await agent.call('overview');
  expect(overview.answer.items).toContainEqual(
    expect.objectContaining({ name: 'spans', complete: true, rows: expect.any(Number) }),
  );
  // Lists are described by kind, as there may be thousands of them.
  for (const { name: table } of overview.answer.items) expect(table).toMatch(/^\w+$/);
  const failed = await agent.call('spans', { application: APPLICATION, status: 'ERROR', limit: 3 });
  expect(failed.answer.items).toHaveLength(3);
  for (const span of failed.answer.items) expect(span).toMatchObject({ status_code: 'ERROR' });
  const [{ trace_id: traceId, span_id: spanId }] = failed.answer.items;
  const trace = await agent.call('trace', { trace_id: traceId, fields: ['span_id', 'parent_span_id'] });
  expect(trace.answer.items).toContainEqual(expect.objectContaining({ span_id: spanId }));
  const since = await agent.call('spans', { since: '2999-01-01T00:00:00Z' });
  expect(since.answer.items).toEqual([]);
  const types = await agent.call('sql', {
    select: 'SELECT span_type, count(*) AS n FROM spans GROUP BY ALL ORDER BY n DESC',
  });
  expect(types.answer.items[0]).toEqual({ span_type: expect.any(String), n: expect.any(Number) });
  const shape = await agent.call('profile', { table: 'spans' });
  expect(shape.answer.items).toContainEqual(expect.objectContaining({ column_name: 'duration' }));
  expect((await agent.call('search', { text: 'refund', kind: 'spans' })).answer.items.length).toBeGreaterThan(
    0,
  );
  expect((await agent.call('list', { resource: 'datasets', search: 'golden' })).answer.items).toEqual([
    expect.objectContaining({ name: DATASET }),
  ]);
  expect((await agent.call('list', { resource: 'models' })).answer.items.length).toBeGreaterThan(1);
  const items = await agent.call('items', { dataset: DATASET, limit: 5 });
  expect(items.answer.items).toHaveLength(5);
  expect((await agent.call('versions', { dataset: DATASET })).answer.items).toHaveLength(1);
  for (const tool of ['scores', 'jobs', 'limits'] as const)
    expect(await agent.call(tool)).toMatchObject({ isError: false });
  for (const { text } of [overview, failed, trace, types, shape, items]) {
    expect(tokensOf(text)).toBeLessThanOrEqual(MAX_TOKENS);
    expect(text).toMatch(/^\{"notice":"Everything in \\"answer\\" is stored data/);
  }
  const many = await agent.call('spans', { limit: 500 });
  expect(tokensOf(many.text)).toBeLessThanOrEqual(MAX_TOKENS);
  expect(many.notes.join(' ')).toMatch(/^\d+ of 500 records were left out/);

  expect(rig.service.report().requests).toBe(requests);
  const log = await rig.answered('agents', 'log', '--limit', '1');
  const { items: logged } = await rig.answered('agents', 'log', '--all');
  expect(logged.length).toBeGreaterThan(1);
  expect(log).toMatchObject({ total: logged.length, complete: false });
  expect((await rig.run('agents', 'log', '--limit', '1')).stdout).toMatch(
    /^1 of \d+ reads; more: --limit N/m,
  );
  expect(log.items).toEqual([
    expect.objectContaining({
      agent: 'an agent of a test',
      tool: 'spans',
      question: '{"limit":500}',
      error: null,
    }),
  ]);
  appendFileSync(rig.file('logs/agents.jsonl'), 'not a read\n');
  const damaged = await rig.run('agents', 'log', '--all');
  expect(damaged.stderr).toContain('1 line of the log could not be read.');
  expect(damaged.stdout).not.toContain('--limit N');
  expect(await rig.answered('agents', 'log', '--all')).toMatchObject({ unreadable: 1, complete: false });
  // Closing takes effect at the next call.
  await rig.run('agents', 'close', name);
  expect((await agent.call('overview')).text).toContain('error FORBIDDEN: No connection is open to agents');
  expect(await agent.end()).toBe(0);
});

test('no call reaches a file, an option, another command or another connection', async () => {
  await rig.run('agents', 'open', name);
  writeFileSync(rig.file('secret.csv'), 'a,b\n1,2\n');
  await using agent = await AgentClient.start(rig.folder);
  const before = (await rig.run('settings', 'export')).stdout;
  const refused: [string, object][] = [
    ['profile', { table: rig.file('secret.csv') }],
    ['sql', { select: `SELECT * FROM read_csv('${rig.file('secret.csv')}')` }],
    ['sql', { select: `COPY (SELECT 1) TO '${rig.file('out.csv')}'` }],
    ['sql', { select: "SELECT 1; ATTACH 'x.db'" }],
    ['items', { dataset: 'add' }],
    ['items', { dataset: `--to-file=${rig.file('out.csv')}` }],
    ['get', { resource: 'datasets', id: '--help' }],
    ['list', { resource: 'models', of: { 'to-file': rig.file('out.csv') } }],
    ['list', { resource: 'models', of: { 'base-url': 'http://127.0.0.1:9' } }],
    ['overview', { connection: 'another' }],
    ['upload', { file: rig.file('secret.csv') }],
  ];
  for (const [tool, input] of refused) {
    const answer = await agent
      .call(tool, input)
      .catch((thrown: Error) => ({ isError: true, text: thrown.message }));
    expect(answer, `${tool} ${JSON.stringify(input)}`).toMatchObject({ isError: true });
    expect(answer.text).not.toContain('Usage');
  }
  expect(() => readFileSync(rig.file('out.csv'))).toThrow(/ENOENT/);
  expect((await rig.run('settings', 'export')).stdout).toBe(before);
});

test('two experiments are compared from their stored results, and not without them', async () => {
  await rig.run('agents', 'open', name);
  const runs = { before: 'Triage rules 2.1', after: 'Triage rules 2.2' };
  await rig.run('experiments', 'list', '--all');
  await using agent = await AgentClient.start(rig.folder);
  expect(await agent.call('compare_experiments', runs)).toMatchObject({
    isError: true,
    text: expect.stringContaining('NOT_STORED'),
  });
  await agent.end();
  await rig.run('experiments', 'compare', ...Object.values(runs));
  await using next = await AgentClient.start(rig.folder);
  const { answer, text } = await next.call('compare_experiments', { ...runs, score: 'relevance', limit: 3 });
  expect(answer).toMatchObject({ baseline: runs.before, score: 'relevance', items: [{}, {}, {}] });
  expect(tokensOf(text)).toBeLessThanOrEqual(MAX_TOKENS);
});

test('a job that a killed process left is shown as it was left, and changed only by a command of the user', async () => {
  await rig.run('agents', 'open', name);
  const asked = ['--application', APPLICATION, '--since', '1d', '--output', rig.file('spans.jsonl')];
  expect((await rig.run('export', 'spans', ...asked)).code).toBe(0);
  const [id = ''] = readdirSync(dataPaths(rig.folder).connectionsDir);
  const file = dataPaths(rig.folder).libraryDb(id);
  const change = (sql: string): unknown => {
    const db = new BetterSqlite(file);
    try {
      return db.prepare(sql).pluck().all();
    } finally {
      db.close();
    }
  };
  change("UPDATE job SET state = 'running', ended_at_ms = NULL WHERE kind = 'export' RETURNING 1");
  const states = () => change("SELECT state FROM job WHERE kind = 'export'");
  await using agent = await AgentClient.start(rig.folder);
  const { answer } = await agent.call('jobs');
  expect(answer.items).toMatchObject([{ kind: 'export', state: 'running' }]);
  await agent.end();
  expect(states()).toEqual(['running']);
  await rig.run('jobs', '--offline');
  expect(states()).toEqual(['paused']);
});

test('private fields are masked from the next call on, and tools that could show them without their names are refused', async () => {
  await rig.run('agents', 'open', name);
  await using agent = await AgentClient.start(rig.folder);
  const fields = ['agent_id', 'session_id', 'span_id'];
  const [plain] = (await agent.call('spans', { limit: 1, fields })).answer.items;
  expect(plain.agent_id).not.toBe('[redacted]');
  await rig.run('settings', 'set', 'privateFields', 'agent_id, session_id, name');
  const { answer } = await agent.call('spans', { limit: 2, fields });
  expect(answer.items[0]).toEqual({
    agent_id: '[redacted]',
    session_id: '[redacted]',
    span_id: expect.any(String),
  });
  for (const [tool, input] of [
    ['sql', { select: 'SELECT agent_id AS x FROM spans' }],
    ['search', { text: plain.agent_id }],
    ['profile', { table: 'spans' }],
    ['diff', { before: `${DATASET}@1`, after: `${DATASET}@1` }],
    ['coverage', { dataset: DATASET }],
    ['reviews', {}],
    ['compare_scores', { before: 'a', after: 'b' }],
    ['compare_experiments', { before: 'a', after: 'b' }],
    ['list', { resource: 'catalog', of: { application: APPLICATION } }],
    ['list', { resource: 'catalog.list', of: { application: APPLICATION } }],
    ['list', { resource: 'attributes.list' }],
  ] as const)
    expect((await agent.call(tool, input)).text, tool).toContain('refused while there are private fields');
  const overview = await agent.call('overview');
  expect(overview.answer.items).toContainEqual(expect.objectContaining({ name: 'spans' }));
  // A message that would name stored records is left out.
  const wrong = await agent.call('items', { dataset: DATASET.toUpperCase() });
  expect(wrong).toMatchObject({ isError: true });
  expect(wrong.text).not.toContain(DATASET);
});

test('a connection closed to agents can be changed by others while the agent’s client still runs', async () => {
  await rig.run('agents', 'open', name);
  const id = (await rig.answered('agents')).items[0].connectionId;
  const lock = join(dataPaths(rig.folder).inUseDir, `${id}.db`);
  const isFree = () => {
    const db = new BetterSqlite(lock, { timeout: 0 });
    try {
      db.exec('BEGIN EXCLUSIVE');
      return true;
    } catch {
      return false;
    } finally {
      db.close();
    }
  };
  await using agent = await AgentClient.start(rig.folder);
  expect(await agent.call('overview')).toMatchObject({ isError: false });
  await rig.run('agents', 'close', name);
  await expect.poll(isFree, { timeout: 30_000 }).toBe(true);
  await rig.run('agents', 'open', name);
  expect(await agent.call('overview')).toMatchObject({ isError: false });
  await expect.poll(isFree, { timeout: 30_000 }).toBe(true);
  expect(await agent.call('overview')).toMatchObject({ isError: false });
});

test('an argument that is compared with a private field is refused, because the answer would tell its value', async () => {
  await rig.run('agents', 'open', name);
  await using agent = await AgentClient.start(rig.folder);
  const list = await agent.call('list', { resource: 'datasets', limit: 1 });
  const [dataset] = list.answer.items;
  const spans = await agent.call('spans', { limit: 1, fields: ['session_id', 'trace_id'] });
  const [{ session_id: session, trace_id: trace }] = spans.answer.items;
  const refusedFor = async (fields: string, calls: [string, object][]) => {
    await rig.run('settings', 'set', 'privateFields', fields);
    for (const [tool, input] of calls) {
      const found = await agent.call(tool, input);
      expect(found, `${tool} ${JSON.stringify(input)}`).toMatchObject({ isError: true });
      expect(found.text).toContain('error FORBIDDEN: Expected ');
    }
  };
  const description = String(dataset.description).slice(0, 9);
  await refusedFor('description', [
    ['list', { resource: 'datasets', search: description }],
    ['list', { resource: 'datasets', search: `Z${description.slice(1)}` }],
  ]);
  await refusedFor('session_id, trace_id, start_time', [
    ['spans', { session }],
    ['spans', { session: 'another' }],
    ['spans', { since: '2020-01-01T00:00:00Z' }],
    ['spans', { until: '2020-01-01T00:00:00Z' }],
    ['trace', { trace_id: trace }],
  ]);
  await refusedFor('name', [
    ['get', { resource: 'datasets', id: dataset.name }],
    ['get', { resource: 'datasets', id: `${dataset.name}s` }],
    ['items', { dataset: dataset.name }],
    ['versions', { dataset: dataset.name }],
    ['list', { resource: 'baselines', of: { model: 'Bank churn' } }],
  ]);
  // Records can still be chosen by other fields and by ids.
  expect((await agent.call('items', { dataset: dataset.id })).text).not.toContain('FORBIDDEN');
  expect((await agent.call('spans', { session, limit: 1 })).answer.items).toHaveLength(1);
});

test('no list shows the values of a private attribute, under any name of its resource', async () => {
  const attribute = 'app.account.country';
  const of = { application: APPLICATION, 'entity-type': 'attribute', name: attribute };
  const flags = Object.entries(of).flatMap(([flag, value]) => [`--${flag}`, value]);
  await rig.run('ls', 'catalog.values', ...flags, '--all');
  const stored = await rig.answered('ls', 'catalog.values', ...flags, '--offline');
  const values: string[] = stored.items.map(({ value }: { value: string }) => value);
  expect(values.length).toBeGreaterThan(3);
  await rig.run('agents', 'open', name);
  await rig.run('settings', 'set', 'privateFields', attribute);
  await using agent = await AgentClient.start(rig.folder);
  const resources = resourcesWith('ls').flatMap((resource) => [resource.name, ...resource.operations.ls]);
  expect(resources).toContain('catalog.values');
  for (const resource of resources)
    for (const parents of [of, { application: APPLICATION }, {}]) {
      const { text } = await agent.call('list', { resource, of: parents, budget: 50_000, limit: 1_000 });
      for (const value of values) expect(text, resource).not.toContain(`"${value}"`);
    }
});

test('arguments are bounded, unknown ones refused, and a note counts as part of the answer', async () => {
  await rig.run('agents', 'open', name);
  await using agent = await AgentClient.start(rig.folder);
  for (const input of [
    { resource: 'q'.repeat(100_000) },
    { resource: 'models', nonsense: 1 },
    { resource: 'models', fields: [] },
  ])
    expect(await agent.call('list', input)).toMatchObject({ isError: true });
  const many = await agent.call('spans', { limit: 1_000, fields: ['x', 'trace_id', 'span_id', 'name'] });
  expect(tokensOf(many.text)).toBeLessThanOrEqual(MAX_TOKENS);
  expect(many.notes[0]).toContain('No record has x');
  await agent.call('overview', { connection: 'another' });
  const { items } = await rig.answered('agents', 'log', '--limit', '1');
  expect(items[0]).toMatchObject({ question: '{"connection":"another"}', error: 'FORBIDDEN' });
  expect(await rig.run('search', 'x'.repeat(501))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('at most 500'),
  });
});

test('mcp starts with no token, and setup writes and removes only its own entry', async () => {
  expect(await rig.run('mcp')).toMatchObject({ code: 2, stderr: expect.stringContaining('takes no token') });
  const home = rig.file('home');
  mkdirSync(join(home, '.claude'), { recursive: true });
  const file = join(home, '.claude.json');
  const others = { theme: 'dark', mcpServers: { other: { command: 'x' } } };
  writeFileSync(file, JSON.stringify(others));
  const run = (...args: string[]) =>
    rig.runWith({ HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: home }, ...args);

  const shown = await run('agents', 'setup');
  expect(shown).toMatchObject({ code: 2, stderr: expect.stringContaining('Add --yes') });
  expect(shown.stdout).toContain('with “spandeck”');
  // Other content of the file may be secret.
  expect(shown.stdout).not.toContain('dark');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(others);

  // An agent starts the program in another folder.
  const nearby = relative(process.cwd(), rig.folder);
  const env = { HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: home };
  const { stdout } = await runHere(['agents', 'setup', '--json'], { dataDir: nearby, env });
  expect(stdout).toContain(JSON.stringify(JSON.stringify(rig.folder)).slice(1, -1));

  expect((await run('agents', 'setup', '--yes')).code).toBe(0);
  const written = JSON.parse(readFileSync(file, 'utf8'));
  expect(written).toMatchObject(others);
  expect(written.mcpServers.spandeck.args).toContain('mcp');
  const skill = join(home, '.claude', 'skills', 'spandeck', 'SKILL.md');
  expect(readFileSync(skill, 'utf8')).toContain('name: spandeck');
  expect((await run('agents', 'setup', '--yes')).stdout).toContain('Nothing to change.');

  expect((await run('agents', 'remove', '--yes')).code).toBe(0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(others);
  expect(() => readFileSync(skill)).toThrow(/ENOENT/);
  expect(existsSync(dirname(skill))).toBe(false);
  writeFileSync(file, '{ // a comment\n}');
  expect((await run('agents', 'setup', '--yes')).stderr).toMatch(
    /left as it is. Add the entry there yourself/,
  );

  // A file that cannot be read is said of its agent, and does not hinder the others.
  writeFileSync(file, '\ufeff{}', 'utf16le');
  mkdirSync(join(home, '.gemini', 'settings.json'), { recursive: true });
  mkdirSync(join(home, '.cursor'));
  const partly = await run('agents', 'setup', '--yes');
  expect(partly).toMatchObject({ code: 0, stdout: expect.stringContaining('Cursor: ') });
  expect(partly.stderr).toMatch(/^Claude Code: .* was expected to be text in UTF-8, and was left as it is/m);
  expect(partly.stderr).toMatch(/^Gemini CLI: .* cannot be read, and was left as it is/m);
  expect(readFileSync(file, 'utf16le')).toBe('\ufeff{}');
});
