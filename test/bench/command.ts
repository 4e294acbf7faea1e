/**
 * Time of a command from its call to its exit: for a command that reads a stored page, and for two that need no engine.
 * Also the time from the start of `mcp` to its first answer.
 */
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { AgentClient } from '../helpers/agent-client.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { runCli } from '../helpers/run-cli.ts';
import { ScriptedServer, sendPage } from '../helpers/scripted-server.ts';

const TIMES = 15;
const STORED_PAGE_MS = 120;
const HELP_MS = 60;
const AGENT_MS = 300;
const ROWS = Array.from({ length: 500 }, (_, at) => ({ id: `a-${at}`, name: `Application ${at}` }));

export async function run(): Promise<BenchResult[]> {
  const root = join(import.meta.dirname, '../..');
  execFileSync(process.execPath, [join(root, 'build/bundle.ts')], { cwd: root, stdio: 'ignore' });
  using folder = new DataFolder();
  await using server = await ScriptedServer.start((request, response) => sendPage(response, ROWS, request));
  const call = async (words: readonly string[]) => {
    const startedAt = performance.now();
    const { code, stderr } = await runCli(words, { token: 'bench-token-0123', dataDir: folder.path });
    if (code !== 0) throw new Error(stderr);
    return performance.now() - startedAt;
  };
  const firstAnswer = async () => {
    const startedAt = performance.now();
    await using agent = await AgentClient.start(folder.path, { script: join(root, 'dist/cli.js') });
    const { isError, text } = await agent.call('list', { resource: 'applications' });
    if (isError) throw new Error(text);
    return performance.now() - startedAt;
  };
  const median = async (once: () => Promise<number>) => {
    const times: number[] = [];
    for (let turn = 0; turn < TIMES; turn += 1) times.push(await once());
    return times.toSorted((a, b) => a - b)[TIMES >> 1] ?? Number.NaN;
  };
  const list = ['ls', 'applications', '--json', '--base-url', server.baseUrl];
  await call(list);
  const stored = await median(() => call([...list, '--offline']));
  const help = await median(() => call(['help']));
  const helpOfOne = await median(() => call(['ls', '--help']));
  const { code, stderr } = await runCli(
    ['agents', 'open', `${new URL(server.baseUrl).host} (command line)`],
    { dataDir: folder.path },
  );
  if (code !== 0) throw new Error(stderr);
  const agent = await median(firstAnswer);
  const note = `median of ${TIMES}; load ${(loadavg()[0] ?? 0).toFixed(1)}`;
  return [
    result('a command that reads a stored page', stored, 'ms', STORED_PAGE_MS, note),
    result('help', help, 'ms', HELP_MS, note),
    result('help of a command', helpOfOne, 'ms', HELP_MS, note),
    result('mcp, from its start to its first answer', agent, 'ms', AGENT_MS, note),
  ];
}
