/** A path that was typed may name anything: it neither holds the application nor says what lies there. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseBaseUrl } from '../../electron/api/base-url.ts';
import { createHttpClient, type HttpAnswer, type HttpFailure } from '../../electron/api/http-client.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
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

/** Everything that is no certificate file; on Windows there are no pipes and devices with names. */
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
});

test('a CA file of the usual kind is taken, also where it was put in its place later', async () => {
  const path = folder.file('ca.pem');
  expect(await sendWith(path)).toMatchObject({ kind: 'failed' });
  writeFileSync(path, selfSigned().cert);
  expect(await sendWith(path)).toMatchObject({ kind: 'answered', status: 200 });
});
