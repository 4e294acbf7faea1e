/** The bootstrap in its own folder, with a fake npm that ends when the test allows it. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const BUILD = path.resolve(import.meta.dirname, '../../build');

/** Records that it started, waits for the file `gate`, and creates the files that npm would. */
const FAKE_NPM = `
const fs = require('node:fs');
fs.appendFileSync('npm-calls', process.argv.slice(2).join(' ') + '\\n');
fs.rmSync('node_modules', { recursive: true, force: true });
fs.mkdirSync('node_modules/.bin', { recursive: true });
const timer = setInterval(() => {
  if (!fs.existsSync('gate')) return;
  clearInterval(timer);
  fs.writeFileSync('node_modules/.bin/node', '');
  process.exit(Number(fs.readFileSync('gate', 'utf8')));
}, 5);
`;

interface Run {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

let folder = '';
const at = (name: string): string => path.join(folder, name);
/** Number of calls whose record is complete. */
const calls = (): number =>
  fs.existsSync(at('npm-calls')) ? fs.readFileSync(at('npm-calls'), 'utf8').split('\n').length - 1 : 0;
const openGate = (code = 0): void => fs.writeFileSync(at('gate'), String(code));

/** Waits for an effect of another process. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function bootstrap(command = 'cli', more: NodeJS.ProcessEnv = {}): Run {
  const env = {
    ...process.env,
    npm_execpath: at('npm-cli.js'),
    npm_node_execpath: '',
    npm_lifecycle_event: '',
    ...more,
  };
  const child = spawn(process.execPath, [at('build/bootstrap.mjs'), command], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, ended };
}

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'bootstrap-'));
  fs.mkdirSync(at('build'));
  for (const name of ['bootstrap.mjs', 'setup-rules.mjs'])
    fs.copyFileSync(path.join(BUILD, name), at(`build/${name}`));
  fs.writeFileSync(at('npm-cli.js'), FAKE_NPM);
  fs.writeFileSync(
    at('package-lock.json'),
    JSON.stringify({ packages: { '': {}, 'node_modules/a': { version: '1.0.0' } } }),
  );
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

describe('npm packages', () => {
  test('are installed once, and not again', async () => {
    openGate();
    const first = await bootstrap().ended;
    expect(first).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining('npm ci --ignore-scripts: done'),
    });
    expect(await bootstrap().ended).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(calls()).toBe(1);
  });

  test('are installed again if the lock file changes', async () => {
    openGate();
    await bootstrap().ended;
    fs.writeFileSync(
      at('package-lock.json'),
      JSON.stringify({ packages: { '': {}, 'node_modules/a': { version: '2.0.0' } } }),
    );
    const second = await bootstrap().ended;
    expect(second.stderr).toContain('package-lock.json changed');
    expect(calls()).toBe(2);
  });

  test('installed by hand are used unchanged', async () => {
    fs.mkdirSync(at('node_modules/.bin'), { recursive: true });
    fs.writeFileSync(at('node_modules/.bin/node'), '');
    fs.writeFileSync(
      at('node_modules/.package-lock.json'),
      JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }),
    );
    expect(await bootstrap().ended).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(calls()).toBe(0);
  });

  test('the pinned Node is linked again after npm removed its link, without installing again', async () => {
    openGate();
    await bootstrap().ended;
    const pinned = `node_modules/node-${process.platform}-${process.arch}/bin/node`;
    fs.mkdirSync(path.dirname(at(pinned)), { recursive: true });
    fs.writeFileSync(at(pinned), 'the pinned one');
    for (const leave of [
      () => fs.rmSync(at('node_modules/.bin/node')),
      () => fs.rmSync(at('node_modules/.bin'), { recursive: true }),
      () => {
        fs.rmSync(at('node_modules/.bin/node'));
        fs.symlinkSync('../nowhere/node', at('node_modules/.bin/node'));
      },
    ]) {
      leave();
      expect(await bootstrap().ended).toEqual({ code: 0, stdout: '', stderr: '' });
      expect(fs.readFileSync(at('node_modules/.bin/node'), 'utf8')).toBe('the pinned one');
    }
    expect(calls()).toBe(1);
  });

  test('packages that npm skipped for an old Node are added by the pinned one', async () => {
    openGate();
    fs.writeFileSync(
      at('old.cjs'),
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } });",
    );
    // The state after npm: the pinned Node, which here is a link to the Node that runs the test.
    const pinned = `node_modules/node-${process.platform}-${process.arch}/bin`;
    fs.appendFileSync(
      at('npm-cli.js'),
      `fs.mkdirSync('${pinned}', { recursive: true });
       fs.symlinkSync(${JSON.stringify(process.execPath)}, '${pinned}/node');`,
    );
    const done = await bootstrap('cli', { NODE_OPTIONS: `--require ${at('old.cjs')}` }).ended;
    expect(done.code).toBe(0);
    const [first, second] = fs.readFileSync(at('npm-calls'), 'utf8').split('\n');
    expect([first, second]).toEqual([
      expect.stringMatching(/^ci --ignore-scripts /),
      expect.stringMatching(/^install --ignore-scripts --no-save /),
    ]);
    expect(fs.existsSync(at('node_modules/.bin/node'))).toBe(true);
  });

  test('a failure shows the output of npm and is retried', async () => {
    openGate(7);
    const failed = await bootstrap().ended;
    expect(failed.code).toBe(1);
    expect(failed.stderr).toContain('npm ci failed with code 7');
    openGate();
    expect((await bootstrap().ended).code).toBe(0);
    expect(calls()).toBe(2);
  });
});

describe('two installations at once', () => {
  test('the second waits and finds the work done', async () => {
    const first = bootstrap();
    await until(() => calls() === 1);
    const second = bootstrap('service');
    openGate();
    const codes = (await Promise.all([first.ended, second.ended])).map(({ code }) => code);
    expect(codes).toEqual([0, 0]);
    expect(calls()).toBe(1);
    expect(fs.existsSync(at('.bootstrap-lock'))).toBe(false);
  });

  test('recover from an installation that was killed with its npm', async () => {
    const first = bootstrap();
    await until(() => calls() === 1);
    process.kill(-(first.child.pid ?? 0), 'SIGKILL');
    await first.ended;
    openGate();
    expect((await bootstrap().ended).code).toBe(0);
    expect(calls()).toBe(2);
  });

  test('while the npm of a killed one still writes, no other begins', async () => {
    const first = bootstrap();
    await until(
      () => calls() === 1 && fs.readFileSync(at('.bootstrap-lock'), 'utf8').split(' ').length === 3,
    );
    first.child.kill('SIGKILL');
    const second = bootstrap();
    let said = '';
    second.child.stderr?.on('data', (chunk: string) => {
      said += chunk;
    });
    await until(() => said.includes('waiting'));
    expect(calls()).toBe(1);
    openGate();
    expect((await second.ended).code).toBe(0);
    expect(calls()).toBe(2);
  });
});

test('an unknown command is rejected by name', async () => {
  const { code, stderr } = await bootstrap('tset').ended;
  expect(code).toBe(1);
  expect(stderr).toContain('got "tset"');
});

test.runIf(process.platform === 'linux')(
  'a check needs the keyring that its tests run with, and no program that opens a window',
  async () => {
    openGate();
    fs.mkdirSync(at('no-programs'));
    const { code, stderr } = await bootstrap('check', { PATH: at('no-programs') }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/Missing system packages: .*gnome-keyring, dbus/);
    expect(stderr).not.toMatch(/xvfb|chromium|Electron/);
  },
);

test.runIf(process.platform === 'linux')(
  'without a keyring the session of the tests names the missing programs',
  () => {
    const script = path.resolve(import.meta.dirname, '../helpers/run-with-keyring.sh');
    const env = { PATH: at('no-programs') };
    const { status, stderr } = spawnSync('/bin/sh', [script, 'true'], { env, encoding: 'utf8' });
    expect(status).toBe(1);
    expect(stderr).toContain('dbus-run-session dbus-send gnome-keyring-daemon');
  },
);
