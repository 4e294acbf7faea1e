/** Environment variables: which are obeyed, and which are passed on. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { createHttpClient } from '../../electron/api/http-client.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runCli } from '../helpers/run-cli.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';
import { selfSigned } from '../helpers/self-signed.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
  vi.unstubAllEnvs();
});

test('NODE_TLS_REJECT_UNAUTHORIZED is not obeyed', async () => {
  const { key, cert } = selfSigned();
  const server = createServer({ key, cert }, (_request, response) => void response.end('{}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const http = createHttpClient({
    baseUrl: { href: origin, origin, basePath: '', isEncrypted: true, isLoopback: true },
    token: () => 'token-0123456789',
    proxyUrl: null,
    extraCaFile: null,
    clock: systemClock,
    userAgent: 'Spandeck test',
  });
  cleanUps.push(() => http.close());
  const result = await http.send({ method: 'GET', target: '/v3/x', operation: 'GET /v3/x' });
  expect(result).toMatchObject({ kind: 'failed', outcome: 'unsent', error: { code: 'TLS_FAILED' } });
});

/**
 * Loaded into the command line before everything else: at the end prints the environment that a started program would
 * inherit.
 */
const SPY = `
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
const { SPY_FILE } = process.env;
process.on('exit', () => {
  const inherited = execFileSync(process.execPath, ['-p', 'JSON.stringify(process.env)'], { env: { ...process.env, NODE_OPTIONS: '' } });
  writeFileSync(SPY_FILE, inherited);
});
`;

test('programs started by the command line do not inherit the token', async () => {
  const folder = new DataFolder();
  cleanUps.push(() => folder[Symbol.dispose]());
  const server = await ScriptedServer.start((request, response) => sendPage(response, [], request));
  cleanUps.push(() => server[Symbol.asyncDispose]());
  writeFileSync(folder.file('spy.mjs'), SPY);
  const result = await runCli(['applications', '--base-url', server.baseUrl], {
    dataDir: folder.file('data'),
    token: 'token-0123456789',
    env: { NODE_OPTIONS: `--import=${folder.file('spy.mjs')}`, SPY_FILE: folder.file('inherited.json') },
  });
  expect(result).toMatchObject({ code: 0 });
  expect(server.received[0]?.headers.authorization).toBe('Bearer token-0123456789');
  const inherited = readFileSync(folder.file('inherited.json'), 'utf8');
  expect(JSON.parse(inherited)).toMatchObject({ SPY_FILE: folder.file('inherited.json') });
  expect(inherited).not.toContain('token-0123456789');
});
