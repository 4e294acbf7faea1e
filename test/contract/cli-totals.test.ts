/** Lists with an impossible total: the command line stops at the last page, says so, and can be interrupted. */
import type { ChildProcess } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { type CliResult, runCli, temporaryFolder } from '../helpers/run-cli.ts';
import { runHere } from '../helpers/run-here.ts';
import { ScriptedServer, sendJson } from '../helpers/scripted-server.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const ENDLESS = 1e15;
/** Time in ms that is more than any computer needs for one page and an interrupt. */
const FAR_BEYOND_MS = 30_000;

let folder: ReturnType<typeof temporaryFolder>;
let server: ScriptedServer;
beforeEach(() => {
  folder = temporaryFolder('cli-totals');
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  folder.remove();
});

const items = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `id-${from + index}`,
    name: `Project ${from + index}`,
  }));

/** The service rejects the first page of each list. */
let isFirstRefused = false;

/** Serves this number of projects in pages of at most `pageRows`, with any total. */
async function serve(rows: number, total: number, pageRows = 100): Promise<void> {
  isFirstRefused = false;
  server = await ScriptedServer.start((request, response) => {
    const asked = new URL(request.url, server.baseUrl).searchParams;
    const offset = Number(asked.get('offset') ?? 0);
    if (isFirstRefused && offset === 0) return sendJson(response, 400, { error: 'no first page' });
    const count = Math.max(0, Math.min(pageRows, Number(asked.get('limit') ?? pageRows), rows - offset));
    const data = { items: items(offset, count), total, offset };
    sendJson(response, 200, { api_version: '3.0', kind: 'PAGINATED', data });
  });
}

function cli(args: string[], onStart?: (child: ChildProcess) => void): Promise<CliResult> {
  const all = [...args, '--base-url', server.baseUrl];
  const options = { token: 'contract-token-0123456789', dataDir: folder.path };
  return onStart === undefined ? runHere(all, options) : runCli(all, { ...options, onStart });
}

test('a total that is far too large neither delays the command nor counts as rows', async () => {
  await serve(3, ENDLESS);
  const page = JSON.parse((await cli(['ls', 'projects', '--json'])).stdout);
  expect(page).toMatchObject({ total: ENDLESS, complete: false });
  expect(page.items).toHaveLength(3);
  const all = await cli(['ls', 'projects', '--all', '--json']);
  expect(JSON.parse(all.stdout)).toMatchObject({ total: 3, complete: true });
  expect(all.stderr).toMatch(
    /^The service stated a total of 1,000,000,000,000,000 rows; its pages ended after 3 rows\.\n$/m,
  );
  expect((await cli(['ls', 'projects', '--all', '--offline'])).stdout).toMatch(/^3 of 3 · as of /m);
});

test('a total below the number of received rows does not end a list', async () => {
  await serve(230, 5);
  const all = await cli(['ls', 'projects', '--all', '--json']);
  expect(JSON.parse(all.stdout)).toMatchObject({ total: 230, complete: true });
  expect(all.stderr).toContain('The service stated a total of 5 rows; its pages ended after 230 rows.');
});

test('rows that the window has read further on do not end the reading before the rows between', async () => {
  await serve(350, 350);
  await cli(['ls', 'projects']);
  const file = readdirSync(folder.path, { recursive: true, encoding: 'utf8' }).find((name) =>
    name.endsWith('library.db'),
  );
  const store = openLibraryStore({
    ...{ file: join(folder.path, file ?? ''), clock: systemClock, logger: silentLogger },
  });
  const shown = store.lists.shownLists().find(({ query }) => query.operation === 'projects.list')?.shown;
  const rows = items(200, 100).map(({ id, ...record }) => ({
    ...{ identity: id, shownText: id, textId: null },
    record: JSON.stringify({ id, ...record }),
  }));
  const page = { offset: 200, rows, total: 350, receivedAtMs: Date.now(), requestId: 'ahead' };
  expect(store.lists.putAhead(shown?.id ?? -1, page)).toBe('written');
  store.close();
  isFirstRefused = true;
  for (const count of [150, 350]) {
    const { stdout } = await cli(['ls', 'projects', '--limit', `${count}`, '--json']);
    expect(JSON.parse(stdout).items).toEqual(items(0, count));
  }
});

test('Ctrl-C ends the reading of an endless list', async () => {
  await serve(ENDLESS, ENDLESS, 1);
  const ended = await cli(['ls', 'projects', '--all'], (child) => {
    child.stderr?.once('data', () => child.kill('SIGINT'));
    // If Ctrl-C were ignored, nothing else would end the process. The kill makes this test fail.
    const over = setTimeout(() => child.kill('SIGKILL'), FAR_BEYOND_MS);
    child.once('exit', () => clearTimeout(over));
  });
  expect(ended.stderr).toMatch(/^error CANCELLED: Stopped\. What was fetched is stored\.$/m);
  expect([ended.code, ended.stdout]).toEqual([130, '']);
});
