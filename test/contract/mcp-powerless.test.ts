/** The process of `spandeck mcp`, seen by the system: it connects to nothing, writes only what it may, and holds no token. */
import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { compileCacheDir } from '../../electron/platform/paths.ts';
import { AgentClient } from '../helpers/agent-client.ts';
import { cliRig } from '../helpers/cli-rig.ts';
import { TOKEN } from '../helpers/sample-service.ts';

const rig = cliRig('mcp-powerless');
const APPLICATION = 'Support assistant';
const DATASET = 'Support answers, golden set';

const canRun = (...words: string[]) => spawnSync(words[0] ?? '', words.slice(1)).status === 0;
/** Containers may forbid both. */
const CAN_TRACE = canRun('strace', '-o', '/dev/null', 'true');
const CAN_UNSHARE = canRun('unshare', '-rn', 'true');
const HAS_PROC = process.platform === 'linux';

beforeEach(async () => {
  await rig.run('spans', '--application', APPLICATION, '--since', '7d', '--all');
  for (const list of ['applications', 'datasets', 'models']) await rig.run(list, '--all');
  await rig.run('items', DATASET, '--all');
  const { connections } = await rig.answered('doctor');
  await rig.run('agents', 'open', connections[0].name);
});

/** Each tool that reads rows in another way. */
async function askAll(agent: AgentClient): Promise<string> {
  const calls: [tool: string, input?: object][] = [
    ['overview'],
    ['spans', { application: APPLICATION, limit: 3 }],
    ['search', { text: 'refund', kind: 'spans' }],
    ['list', { resource: 'datasets' }],
    ['items', { dataset: DATASET, limit: 3 }],
    ['versions', { dataset: DATASET }],
    ['coverage', { dataset: DATASET }],
    ['profile', { table: 'spans' }],
    ['sql', { select: 'SELECT count(*) AS n FROM spans' }],
    ['reviews'],
    ['scores'],
    ['jobs'],
    ['limits'],
  ];
  const texts: string[] = [];
  for (const [tool, input] of calls) {
    const { text, isError } = await agent.call(tool, input);
    expect(isError && !text.includes('NOT_STORED'), `${tool}: ${text}`).toBe(false);
    texts.push(text);
  }
  return texts.join('\n');
}

/** Files that any command writes beside its log: those of SQLite, prepared columns and search words, the note of use. */
const OWN_FILES =
  /^(?:logs\/[\w.]+|(?:[\w-]+\/)*(?:spandeck|budget|library|uploads|datasets|snapshots|search)\.db(?:\.\d+\.new)?(?:-wal|-shm|-journal)?|in-use\/[\w.-]+|connections\/[\w-]+\/analysis\/.+|\.write-check-\d+)$/;

test('connects to nothing, and opens for writing only its log and the files of the stores', async ({
  skip,
}) => {
  skip(!CAN_TRACE, 'strace is missing, or may not be used here');
  const trace = rig.file('trace.txt');
  const calls = 'openat,open,creat,rename,renameat,renameat2,connect,socket,sendto,sendmsg';
  const within = ['strace', '-f', '-qq', '-s', '4096', '-o', trace, '-e', `trace=${calls}`];
  const agent = await AgentClient.start(rig.folder, { within });
  await askAll(agent);
  expect(await agent.end()).toBe(0);
  const lines = readFileSync(trace, 'utf8').split('\n');
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.filter((line) => /\b(connect|socket|sendto)\(/.test(line))).toEqual([]);
  const written = lines
    .filter((line) => /O_WRONLY|O_RDWR|O_CREAT|\b(creat|rename\w*)\(/.test(line))
    .filter((line) => !/ = -1 /.test(line))
    .flatMap((line) => [...line.matchAll(/"([^"]*)"/g)].map(([, path = '']) => path));
  expect(written).toContain(join(rig.folder, 'logs', 'agents.jsonl'));
  // Compiled code of the command line, and folders of its own for data that does not fit into memory.
  const compiled = [compileCacheDir(process.platform, process.env), process.env['NODE_COMPILE_CACHE'] ?? ''];
  const elsewhere = [...compiled.filter((path) => path !== ''), join(tmpdir(), 'spandeck-'), '/dev/'];
  const others = written.filter((path) =>
    path.startsWith(`${rig.folder}/`)
      ? !OWN_FILES.test(path.slice(rig.folder.length + 1))
      : !elsewhere.some((start) => path.startsWith(start)),
  );
  expect([...new Set(others)]).toEqual([]);
}, 120_000);

test('answers the same without any network', async ({ skip }) => {
  skip(!CAN_UNSHARE, 'unshare is missing, or may not be used here');
  // The limits have times of now.
  const facts = (text: string) => text.replaceAll(/"(?:resetsAtMs|nextSendAtMs|used|left)":[^,}]*/g, '');
  const requests = rig.service.report().requests;
  await using alone = await AgentClient.start(rig.folder, { within: ['unshare', '-rn'] });
  const answers = facts(await askAll(alone));
  await alone.end();
  await using usual = await AgentClient.start(rig.folder);
  expect(facts(await askAll(usual))).toBe(answers);
  expect(rig.service.report().requests).toBe(requests);
}, 120_000);

/** Ids of a process and of all that it started. */
function family(pid: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name): [number, number][] => {
        try {
          const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
          return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0])]];
        } catch (thrown) {
          // It has just ended.
          if (thrown instanceof Error && 'code' in thrown) return [];
          throw thrown;
        }
      }),
  );
  const found = [pid];
  for (const [child, parent] of [...parents].toSorted(([one], [other]) => one - other))
    if (found.includes(parent)) found.push(child);
  return found;
}

const PIECE = 4 * 1024 * 1024;

/** Whether the memory of a process holds any of the bytes; a piece overlaps the one before it by their length. */
function memoryHolds(pid: number, wanted: readonly Buffer[]): boolean[] {
  const found = wanted.map(() => false);
  const overlap = Math.max(...wanted.map(({ length }) => length));
  const file = openSync(`/proc/${pid}/mem`, 'r');
  const piece = Buffer.alloc(PIECE + overlap);
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      // Files that are mapped are code.
      const [, from = '', to = ''] = /^([0-9a-f]+)-([0-9a-f]+) r[^/]*$/.exec(line) ?? [];
      if (from === '' || /\[v(?:var|syscall|dso)/.test(line)) continue;
      for (let at = BigInt(`0x${from}`); at < BigInt(`0x${to}`); at += BigInt(PIECE)) {
        const left = BigInt(`0x${to}`) - at;
        const length = Number(left < BigInt(piece.length) ? left : BigInt(piece.length));
        let read = 0;
        try {
          read = readSync(file, piece, 0, length, at);
        } catch (thrown) {
          // A part that is reserved, and not in use.
          if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EIO')) throw thrown;
        }
        for (const [index, bytes] of wanted.entries())
          if (piece.subarray(0, read).includes(bytes)) found[index] = true;
      }
    }
  } finally {
    closeSync(file);
  }
  return found;
}

test('holds no token in its memory, nor in that of the processes it starts', async ({ skip }) => {
  skip(!HAS_PROC, 'only Linux shows the memory of a process as a file');
  await using agent = await AgentClient.start(rig.folder);
  await askAll(agent);
  const all = family(agent.pid);
  expect(all.length).toBeGreaterThan(1);
  const secrets = [TOKEN, `Bearer ${TOKEN}`].flatMap((text) => [
    Buffer.from(text),
    Buffer.from(text, 'utf16le'),
    Buffer.from(Buffer.from(text).toString('base64')),
  ]);
  const known = Buffer.from(DATASET);
  const holds = all.map((pid) => memoryHolds(pid, [known, ...secrets]));
  // A text that was read shows that the search finds present texts.
  expect(holds.some(([hasKnown]) => hasKnown)).toBe(true);
  for (const [, ...hasSecrets] of holds) expect(hasSecrets).toEqual(secrets.map(() => false));
}, 120_000);
