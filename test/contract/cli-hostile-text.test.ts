/** A service in which every text tries to control the terminal. No command prints such a text unchanged. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { ScriptedServer, sendError, sendJson } from '../helpers/scripted-server.ts';

const EVIL =
  'x\u001b[2J\u001b]52;c;eA==\u0007\u009b31m\u202eevil\u2066\u2028\u0085\r\nerror FORGED: y\t\u007f';
const ID = '5f0c7c1e-3c3b-4e57-9a3b-0d5f5a1f2b3c';
const STEERS = /(?!\n)[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

let folder: ReturnType<typeof temporaryFolder>;
let server: ScriptedServer;
beforeAll(async () => {
  folder = temporaryFolder('cli-hostile-text');
  server = await ScriptedServer.start(({ method, url }, response) => {
    const record = { id: ID, name: EVIL, [EVIL]: EVIL, job: { id: EVIL, name: EVIL, status: EVIL } };
    if (url.includes('refused')) return sendError(response, 400, EVIL);
    const isList = method === 'GET' && !url.includes(ID);
    const data = isList ? { items: [record], total: 1, offset: 0 } : record;
    sendJson(response, 200, { api_version: EVIL, kind: isList ? 'PAGINATED' : 'NORMAL', data });
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  folder.remove();
});

const BODY = JSON.stringify({ name: 'x' });

test.each<[string, string[]]>([
  ['test', ['test']],
  ['a list', ['ls', 'projects']],
  ['a record', ['get', 'models', ID]],
  ['a name that is not there', ['get', 'models', 'nothing like it']],
  ['a new record', ['create', 'projects', '--body', BODY]],
  ['a deletion that is only said', ['delete', 'datasets', ID]],
  ['a request', ['request', 'GET', '/v3/projects']],
  ['a refused request', ['request', 'GET', '/v3/refused']],
  ['a refused list', ['ls', 'projects', '--search', 'refused']],
  ['the log of requests', ['traffic']],
])('%s', async (_name, args) => {
  for (const json of [[], ['--json']]) {
    // One command runs as a process, to show that a process prints the same output.
    const run = args[0] === 'test' ? runCli : runHere;
    const { stdout, stderr } = await run([...args, ...json, '--base-url', server.baseUrl], {
      token: 'contract-token-0123456789',
      dataDir: folder.path,
    });
    expect(stdout + stderr).not.toMatch(STEERS);
    expect(stdout + stderr).not.toMatch(/^\s*error FORGED/m);
    expect(stdout + stderr).not.toBe('');
  }
});
