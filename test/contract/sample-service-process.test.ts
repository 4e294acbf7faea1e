/** The sample service as a program, in a worker thread, and with a file that remains after it ends. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SampleWorkerMessage } from '../../electron/sample-service/service-worker.ts';
import { RawService } from '../helpers/sample-service.ts';

const SERVE = fileURLToPath(new URL('../../electron/sample-service/serve.ts', import.meta.url));
const WORKER = new URL('../../electron/sample-service/service-worker.ts', import.meta.url);

let folder: string;
const running: Run[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sample-service-'));
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  child: ChildProcess;
  /** The first line of standard output; null if the program ended without printing one. */
  firstLine: Promise<string | null>;
  ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

function serve(...args: string[]): Run {
  const child = spawn(process.execPath, [SERVE, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  const first = Promise.withResolvers<string | null>();
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part;
    if (stdout.includes('\n')) first.resolve(stdout.split('\n')[0] ?? '');
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
  });
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (code) => {
      first.resolve(null);
      resolve({ code, stdout, stderr });
    });
  });
  const run = { child, firstLine: first.promise, ended };
  running.push(run);
  return run;
}

const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};

describe('npm run service', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)('says where it listens, serves, and ends on %s', async (signal) => {
    const run = serve('--port', '0', '--token', 't', '--empty', '--cap', '3', '--read-only-token', 'r');
    const line = await run.firstLine;
    expect(line).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+$/);
    const baseUrl = line?.replace('listening on ', '') ?? '';
    const answer = await fetch(`${baseUrl}/v3/projects?limit=50`, { headers: { Authorization: 'Bearer r' } });
    expect(await answer.json()).toMatchObject({ data: { total: 1, page_size: 3 } });
    run.child.kill(signal);
    expect(await run.ended).toEqual({ code: 0, stdout: `${line}\n`, stderr: '' });
  });

  it('reads limits and faults from files', async () => {
    const limits = file('limits.json', { categories: { 'metadata-read': [{ count: 1, lengthMs: 60_000 }] } });
    const faults = file('faults.json', [
      { match: { path: '/v3/models' }, action: { type: 'status', status: 503 } },
    ]);
    const run = serve('--port', '0', '--token', 't', '--empty', '--limits', limits, '--faults', faults);
    const baseUrl = (await run.firstLine)?.replace('listening on ', '') ?? '';
    const status = async (path: string): Promise<number> =>
      (await fetch(baseUrl + path, { headers: { Authorization: 'Bearer t' } })).status;
    expect([await status('/v3/models'), await status('/v3/projects'), await status('/v3/projects')]).toEqual([
      503, 200, 429,
    ]);
  });

  it('rejects invalid arguments in one line', async () => {
    const { code, stdout, stderr } = await serve('--port', '0', '--token', 't', '--verbose').ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^error: .*'--verbose'.*\n$/);
  });

  it('says so if the port is taken or the database is not its own', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => blocker.once('listening', resolve));
    const address = blocker.address();
    const port = typeof address === 'object' && address !== null ? String(address.port) : '';
    const taken = await serve('--port', port, '--token', 't', '--empty').ended;
    blocker.close();
    expect(taken).toMatchObject({ code: 1, stdout: '' });
    expect(taken.stderr).toMatch(/^error: .*EADDRINUSE.*\n$/);
    const foreign = await serve('--port', '0', '--token', 't', '--db', file('x.db', 'not a database at all'))
      .ended;
    expect(foreign).toMatchObject({ code: 1, stdout: '' });
    expect(foreign.stderr).toMatch(/^error: .*\n$/);
  });
});

describe('a database file', () => {
  it('keeps events, ids and jobs after a restart', async () => {
    const options = { dbFile: join(folder, 'service.db'), settings: { jobPendingMs: 0, jobRunMs: 0 } };
    const first = await RawService.start(options);
    const model = await first.idOf('models.list', 'Bank churn');
    const source = { type: 'EVENTS', events: [{ Age: 1 }, { Age: 2 }] };
    await first.call('POST', '/v3/events', { body: { model_id: model, env_type: 'PRODUCTION', source } });
    const { ids } = first.service.events(model);
    await first.call('DELETE', '/v3/events', { body: { model_id: model, event_ids: [ids[0]] } });
    await first.service.stop();
    const second = await RawService.start(options);
    expect(second.service.events(model).ids).toEqual([ids[1]]);
    expect(await second.idOf('models.list', 'Bank churn')).toBe(model);
    expect((await second.page('/v3/evals/datasets')).total).toBe(3);
    await second.service.stop();
  });
});

describe('the worker thread', () => {
  async function run(workerData: unknown): Promise<{ messages: SampleWorkerMessage[]; code: number }> {
    const worker = new Worker(WORKER, { workerData });
    const messages: SampleWorkerMessage[] = [];
    worker.on('message', (message: SampleWorkerMessage) => {
      messages.push(message);
      if (message.type !== 'ready') return;
      fetch(`${message.baseUrl}/v3/server-info`, { headers: { Authorization: 'Bearer t' } }).then(
        (answer) => worker.postMessage({ type: answer.ok ? 'stop' : 'unknown' }),
        () => worker.terminate(),
      );
    });
    return new Promise((resolve) => worker.on('exit', (code) => resolve({ messages, code })));
  }

  it('reports when it is ready, serves, and stops on request', async () => {
    const { messages, code } = await run({ token: 't', dbFile: join(folder, 'worker.db') });
    expect(messages.map((message) => message.type)).toEqual(['ready', 'stopped']);
    expect(code).toBe(0);
  });

  it('starts without its file with problems if that cannot be written', async () => {
    const badFile = join(folder, 'missing', 'bank_bad.csv');
    const { messages } = await run({ token: 't', dbFile: null, badFile });
    expect(messages.map((message) => message.type)).toEqual(['ready', 'stopped']);
  });

  it('says why it cannot start', async () => {
    const { messages } = await run({ token: 't', dbFile: join(folder, 'missing', 'worker.db') });
    expect(messages).toMatchObject([{ type: 'failed', message: expect.stringContaining('directory') }]);
  });
});
