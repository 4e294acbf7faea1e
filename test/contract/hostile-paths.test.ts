/** A typed path may name anything. It neither blocks the application nor reveals the content. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { createHttpClient, type HttpAnswer, type HttpFailure } from '../../electron/api/http-client.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runCli } from '../helpers/run-cli.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';
import { selfSigned } from '../helpers/self-signed.ts';

let folder: DataFolder;
let server: ScriptedServer;
beforeEach(async () => {
  folder = new DataFolder();
  server = await ScriptedServer.start((_request, response) => sendJson(response, 200, {}));
});
afterEach(async () => {
  folder[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

async function sendWith(extraCaFile: string): Promise<HttpAnswer | HttpFailure> {
  const http = createHttpClient({
    baseUrl: parseBaseUrl(server.baseUrl, { allowsPlainHttp: false }),
    token: () => 'token-0123456789',
    proxyUrl: null,
    extraCaFile,
    clock: systemClock,
    userAgent: 'Spandeck test',
  });
  try {
    return await http.send({ method: 'GET', target: '/v3/server-info', operation: 'GET /v3/server-info' });
  } finally {
    await http.close();
  }
}

/** Paths of anything but a certificate file. Windows has no named pipes and devices. */
function badPaths(): string[] {
  const paths = ['folder.pem', 'empty.pem', 'text.pem', 'huge.pem', 'late.pem'].map((name) =>
    folder.file(name),
  );
  const [directory = '', empty = '', text = '', huge = '', late = ''] = paths;
  mkdirSync(directory);
  writeFileSync(empty, '');
  writeFileSync(text, 'not a certificate');
  writeFileSync(huge, selfSigned().cert);
  truncateSync(huge, 1_073_741_824);
  writeFileSync(late, `${' '.repeat(1_100_000)}${selfSigned().cert}`);
  const pipe = folder.file('pipe.pem');
  if (process.platform !== 'win32') execFileSync('mkfifo', [pipe]);
  const devices = ['/dev/zero', '/dev/urandom', '/dev/null', '/proc/self/mem', pipe];
  return [...paths, folder.file('missing.pem'), ...(process.platform === 'win32' ? [] : devices)];
}

test('an extra CA file that is a pipe, a device, a folder, huge or missing fails alike and at once', async () => {
  const said = new Set<string>();
  for (const path of badPaths()) {
    const result = await sendWith(path);
    if (result.kind === 'answered') throw new Error(`${path} was taken`);
    expect(result).toMatchObject({ outcome: 'unsent', error: { code: 'INVALID_ARGUMENT' } });
    const name = path.slice(path.lastIndexOf('/') + 1);
    said.add(JSON.stringify(result.error.toWire()).replaceAll(name, 'NAME'));
  }
  expect([...said]).toHaveLength(1);
  expect(server.received).toHaveLength(0);
  // If the pipe were awaited, nothing else would end the test.
});

test('a regular CA file is read, even if it replaced another one later', async () => {
  const path = folder.file('ca.pem');
  expect(await sendWith(path)).toMatchObject({ kind: 'failed' });
  writeFileSync(path, selfSigned().cert);
  expect(await sendWith(path)).toMatchObject({ kind: 'answered', status: 200 });
});

const isWindows = process.platform === 'win32';
const given = (...args: string[]) =>
  runCli([...args, '--base-url', server.baseUrl, '--json'], {
    dataDir: folder.file('data'),
    token: 'token-0123456789',
  });
const sendBody = (path: string) => given('request', 'POST', '/v3/x', '--body', path);

test.skipIf(isWindows)(
  'a body or list of ids from a device, a folder or a huge file is rejected at once',
  async () => {
    const huge = folder.file('huge.json');
    writeFileSync(huge, '[1]');
    truncateSync(huge, 1_073_741_824);
    const cases = [
      [huge, /larger than 16 MB/],
      ['/dev/zero', /a device/],
      [folder.file('data'), /a folder/],
    ] as const;
    mkdirSync(folder.file('data'));
    for (const [path, words] of cases) {
      const items = ['score-items', 'x', '--evaluator', 'e', '--input', 'a=@b', '--items', path];
      for (const { code, stderr } of [await sendBody(path), await given(...items)]) {
        expect(stderr).toMatch(words);
        expect(code).toBe(2);
      }
    }
    expect(server.received).toHaveLength(0);
  },
);

/** Opens a pipe once it has a reader. Writes one part at once and another on demand. */
async function writePipe(pipe: string) {
  const writer = spawn('sh', ['-c', `exec 3>${pipe}; printf '{"a":' >&3; echo; cat; printf '1}' >&3`]);
  await once(writer.stdout, 'data');
  return writer;
}

test.skipIf(isWindows)('a body is read from a pipe until its writer ends', async () => {
  const pipe = folder.file('pipe');
  execFileSync('mkfifo', [pipe]);
  const answer = sendBody(pipe);
  const writer = await writePipe(pipe);
  writer.stdin.end();
  expect(await answer).toMatchObject({ code: 0 });
  expect(server.received.map(({ body }) => body)).toEqual(['{"a":1}']);
});

test.skipIf(isWindows)(
  'a pipe whose writer writes nothing is read until the command is stopped',
  async () => {
    const pipe = folder.file('pipe');
    execFileSync('mkfifo', [pipe]);
    const children: ChildProcess[] = [];
    const answer = runCli(['request', 'POST', '/v3/x', '--body', pipe, '--base-url', server.baseUrl], {
      dataDir: folder.file('data'),
      token: 'token-0123456789',
      onStart: (child) => children.push(child),
    });
    const writer = await writePipe(pipe);
    for (const child of children) child.kill('SIGINT');
    expect(await answer).toMatchObject({ code: 130, stderr: expect.stringContaining('Nothing was sent') });
    writer.kill();
    expect(server.received).toHaveLength(0);
  },
);

test('a body that is nested too deeply is rejected by name', async () => {
  const path = folder.file('deep.json');
  writeFileSync(path, '['.repeat(200_000) + ']'.repeat(200_000));
  expect(await sendBody(path)).toMatchObject({ code: 2, stderr: expect.stringContaining('500 levels') });
});
