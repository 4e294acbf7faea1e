/**
 * The process of `spandeck mcp` beside the application, as the system sees it: whatever the application does, the
 * process creates, changes and deletes nothing but its log, and its answers are up to date.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { AgentClient } from '../helpers/agent-client.ts';
import { boundBy, canBeBound } from '../helpers/bound-by-permissions.ts';
import { cliRig } from '../helpers/cli-rig.ts';
import { ToldProcess } from '../helpers/told-process.ts';
import { APPLICATION, askAll, canTrace, DATASET, footprint, LOGS, traced } from '../helpers/traced-agent.ts';

const MISSING = 'strace is missing, or may not be used here';

let connectionId = '';
const rig = cliRig('mcp-traceless', async ({ run, file }) => {
  await run('spans', '--application', APPLICATION, '--since', '1d', '--all');
  for (const list of ['applications', 'datasets', 'models']) await run(list, '--all');
  await run('items', DATASET, '--all');
  [connectionId = ''] = readdirSync(file('connections'));
  await run('agents', 'open', connectionId);
});

/** The application ends with the test. */
const application = async () => {
  const options = { folder: rig.folder, connection: connectionId };
  const running = await ToldProcess.start('application-child.ts', options);
  onTestFinished(() => running.kill());
  return running;
};
const named = (pattern: RegExp) =>
  readdirSync(rig.folder, { recursive: true, encoding: 'utf8' }).filter((name) => pattern.test(name));
const isLog = (path: string) => LOGS.test(path);
/** SQLite opens an existing log for writing, even for a store that it only reads. */
const isOpenedLog = (path: string) => /\.db-wal$/.test(path);
const isOfNobody = (path: string) => path.startsWith('/dev/');

/** Preparations of the stores before or while an agent reads them. Each returns the application if it still runs. */
const STATES: Record<string, () => Promise<ToldProcess | null>> = {
  'the application has them open': async () => {
    const running = await application();
    await running.tell('write');
    running.freeze();
    expect(named(/\.db-wal$/).some((name) => statSync(rig.file(name)).size > 0)).toBe(true);
    return running;
  },
  'nobody has them open after a clean end': async () => {
    await (await application()).end();
    expect(named(/\.db-(?:wal|shm)$/)).toEqual([]);
    return null;
  },
  'nobody has them open after the application was killed': async () => {
    const running = await application();
    await running.tell('write');
    await running.kill();
    expect(named(/\.db-wal$/).some((name) => statSync(rig.file(name)).size > 0)).toBe(true);
    return null;
  },
  'the application has begun to use them, and written nothing': async () => {
    const running = await application();
    await running.tell('checkpoint');
    running.freeze();
    expect(named(/\.db-wal$/).some((name) => statSync(rig.file(name)).size === 0)).toBe(true);
    return running;
  },
};

test.for(Object.entries(STATES))(
  '%s: connects to nothing, and changes nothing but its log',
  { timeout: 120_000 },
  async ([, prepare], { skip }) => {
    skip(!canTrace, MISSING);
    const running = await prepare();
    const before = footprint(rig.folder);
    const { changed, written, sent } = await traced(rig.folder, askAll);
    expect(footprint(rig.folder)).toEqual(before);
    expect(sent).toEqual([]);
    expect([...new Set(written)].filter((path) => !isLog(path))).toEqual([]);
    expect(written).toContain('logs/agents.jsonl');
    const others = changed.filter((path) => !isOfNobody(path) && !isLog(path) && !isOpenedLog(path));
    expect([...new Set(others)]).toEqual([]);
    await running?.kill();
    // The next process finds everything as it was.
    expect((await rig.answered('items', DATASET, '--offline')).items.length).toBeGreaterThan(0);
  },
);

test('answers from the present data while the application starts, writes, ends and is killed, and changes nothing', async ({
  skip,
}) => {
  skip(!canTrace, MISSING);
  const { changed, written } = await traced(rig.folder, async (agent) => {
    /** Whether the last setting that was written forbids this tool. */
    const isRefused = async () => (await agent.call('search', { text: 'golden' })).text.includes('FORBIDDEN');
    const datasetsAsOf = async () => {
      const { answer } = await agent.call('overview');
      const items: { name: string; asOf: string }[] = answer.items;
      return items.find(({ name }) => name === 'datasets')?.asOf ?? '';
    };
    expect(await isRefused()).toBe(false);
    // A command that runs in between leaves nothing open.
    const first = await datasetsAsOf();
    await rig.run('datasets', '--all');
    expect(await datasetsAsOf()).not.toBe(first);
    for (const isKilled of [false, true]) {
      const running = await application();
      expect(await isRefused()).toBe(false);
      await running.tell('hide');
      expect(await isRefused()).toBe(true);
      await running.tell('checkpoint');
      expect(await isRefused()).toBe(true);
      await running.tell('show');
      expect(await isRefused()).toBe(false);
      await running.tell('hide');
      await (isKilled ? running.kill() : running.end());
      expect(await isRefused()).toBe(true);
      const again = await application();
      await again.tell('show');
      expect(await isRefused()).toBe(false);
      await again.end();
    }
    await askAll(agent);
  });
  expect([...new Set(written)].filter((path) => !isLog(path))).toEqual([]);
  const others = changed.filter((path) => !isOfNobody(path) && !isLog(path) && !isOpenedLog(path));
  expect([...new Set(others)]).toEqual([]);
  // The next process that ends properly leaves no log.
  await rig.run('datasets', '--offline');
  expect(
    named(/^(?!in-use).*\.db-(?:wal|shm)$/).filter((name) => statSync(rig.file(name)).size === 0),
  ).toEqual([]);
});

test.for(Object.entries(STATES))(
  '%s: a read-only folder is read without a copy, and closed access is noticed',
  { timeout: 120_000 },
  async ([, prepare], { skip }) => {
    skip(!canBeBound, 'permissions of files bind nobody here');
    await prepare();
    const all = ['', ...named(/./)].map((name) => rig.file(name));
    const modes = all.map((path) => statSync(path).mode);
    const forbid = () => {
      for (const path of all) chmodSync(path, statSync(path).isFile() ? 0o400 : 0o500);
    };
    const allow = () => {
      for (const [index, path] of all.entries()) if (existsSync(path)) chmodSync(path, modes[index] ?? 0o700);
    };
    forbid();
    try {
      const before = footprint(rig.folder);
      await using agent = await AgentClient.start(rig.folder, { within: boundBy });
      await askAll(agent);
      const { answer } = await agent.call('search', { text: 'golden' });
      expect(JSON.stringify(answer)).toContain(DATASET);
      expect(footprint(rig.folder)).toEqual(before);
      expect(existsSync(rig.file('logs/agents.jsonl'))).toBe(false);
      allow();
      await rig.run('agents', 'close', connectionId);
      expect((await agent.call('overview')).text).toContain('FORBIDDEN');
    } finally {
      allow();
    }
  },
);

test('says of a log that was left without its index what to do, and makes none', async () => {
  await STATES['nobody has them open after the application was killed']?.();
  for (const name of named(/\.db-shm$/)) rmSync(rig.file(name));
  const before = footprint(rig.folder);
  const { status, stderr } = spawnSync(process.execPath, ['dist/cli.js', 'mcp', '--data-dir', rig.folder], {
    encoding: 'utf8',
    input: '',
  });
  expect(status).not.toBe(0);
  expect(stderr).toMatch(/STORE_FAILED.*index .* is missing.* Open this connection once in the window/);
  expect(footprint(rig.folder)).toEqual(before);
  await rig.run('datasets', '--offline');
  await using agent = await AgentClient.start(rig.folder);
  await askAll(agent);
});
