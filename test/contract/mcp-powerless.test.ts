/** The process of `spandeck mcp`, seen by the system: it connects to nothing, writes only what it may, and holds no token. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { AgentClient } from '../helpers/agent-client.ts';
import { boundBy, canBeBound } from '../helpers/bound-by-permissions.ts';
import { cliRig } from '../helpers/cli-rig.ts';
import { TOKEN } from '../helpers/sample-service.ts';

const APPLICATION = 'Support assistant';
const DATASET = 'Support answers, golden set';

const canRun = (...words: string[]) => spawnSync(words[0] ?? '', words.slice(1)).status === 0;
/** Containers may forbid both. */
const CAN_TRACE = canRun('strace', '-o', '/dev/null', 'true');
const CAN_UNSHARE = canRun('unshare', '-rn', 'true');
const HAS_PROC = process.platform === 'linux';

const rig = cliRig('mcp-powerless', async ({ run, answered }) => {
  await run('spans', '--application', APPLICATION, '--since', '7d', '--all');
  for (const list of ['applications', 'datasets', 'models']) await run(list, '--all');
  await run('items', DATASET, '--all');
  const { connections } = await answered('doctor');
  await run('agents', 'open', connections[0].name);
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

const LOGS = /^logs(?:\/[\w.]+)?$/;
/** A reader of a store makes both if nobody has it open: an index of the log, and an empty log. Neither has data. */
const READERS_FILES =
  /^(?:connections\/[\w-]+\/)?(?:spandeck|budget|library|uploads|datasets|snapshots)\.db-(?:wal|shm)$/;

interface Traced {
  /** Arguments of successful calls that change the file system, or open a file to write. */
  changed: string[];
  /** Files that bytes were written to, or whose length was changed. */
  written: string[];
  /** Calls that reach a network. */
  sent: string[];
}

const CHANGING =
  'openat,open,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,chmod,fchmod,fchmodat,utimensat,link,linkat,symlink';
const WRITING =
  'write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,fallocate,copy_file_range,sendfile';

/** Runs all tools of an agent under strace. */
async function traced(): Promise<Traced> {
  const file = `${rig.folder}-trace.txt`;
  const calls = `${CHANGING},${WRITING},connect,socket,sendto,sendmsg`;
  const within = ['strace', '-f', '-qq', '-y', '-s', '4096', '-o', file, '-e', `trace=${calls}`];
  const agent = await AgentClient.start(rig.folder, { within });
  await askAll(agent);
  expect(await agent.end()).toBe(0);
  const lines = readFileSync(file, 'utf8').split('\n');
  rmSync(file);
  expect(lines.length).toBeGreaterThan(100);
  const done = lines.filter((line) => !/ = -1 /.test(line));
  const isChange = (line: string) =>
    /O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(line) ||
    !/ (?:openat|open|write|writev|pwrite|pwritev)/.test(line.split('(')[0] ?? '');
  const byCall = (names: string) =>
    done.filter((line) => new RegExp(`^\\d+ +(?:${names.replaceAll(',', '|')})\\(`).test(line));
  return {
    changed: byCall(CHANGING)
      .filter(isChange)
      .flatMap((line) => [...line.matchAll(/"([^"]*)"/g)].map(([, path = '']) => path)),
    written: byCall(WRITING).flatMap((line) => /\(\d+<(\/[^>]*)>/.exec(line)?.[1] ?? []),
    sent: lines.filter((line) => /\b(connect|socket|sendto)\(/.test(line)),
  };
}

/** Opens every store, as the application does. */
function openElsewhere(): Disposable {
  const files = readdirSync(rig.folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.db'),
  );
  const open = files.map((name) => new BetterSqlite(rig.file(name)));
  for (const db of open) db.pragma('user_version');
  return { [Symbol.dispose]: () => open.forEach((db) => void db.close()) };
}

const within = (path: string) => path.slice(rig.folder.length + 1);
const isOfNobody = (path: string) => path.startsWith('/dev/');

test('connects to nothing, and writes only its log while the stores are open elsewhere', async ({ skip }) => {
  skip(!CAN_TRACE, 'strace is missing, or may not be used here');
  using _stores = openElsewhere();
  const { changed, written, sent } = await traced();
  expect(sent).toEqual([]);
  expect([...new Set(written)].filter((path) => !LOGS.test(within(path)))).toEqual([]);
  expect(written).toContain(join(rig.folder, 'logs', 'agents.jsonl'));
  const others = changed.filter(
    (path) => !isOfNobody(path) && !LOGS.test(within(path)) && !READERS_FILES.test(within(path)),
  );
  expect([...new Set(others)]).toEqual([]);
}, 120_000);

test('writes nothing else but the index of the logs if the stores are open nowhere, and changes no file', async ({
  skip,
}) => {
  skip(!CAN_TRACE, 'strace is missing, or may not be used here');
  const before = contents();
  const { changed, written } = await traced();
  const isOwn = (path: string) => LOGS.test(within(path)) || READERS_FILES.test(within(path));
  expect([...new Set(changed)].filter((path) => !isOfNobody(path) && !isOwn(path))).toEqual([]);
  const others = written.filter((path) => !LOGS.test(within(path)) && !/\.db-shm$/.test(path));
  expect([...new Set(others)]).toEqual([]);
  expect(contents()).toEqual(before);
  // The next process finds everything as it was.
  expect((await rig.answered('items', DATASET, '--offline')).items.length).toBeGreaterThan(0);
}, 120_000);

/** Hash of each file with data in the data folder, without the log. */
function contents(): Record<string, string> {
  const names = readdirSync(rig.folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return Object.fromEntries(
    names
      .filter((name) => !LOGS.test(name) && !name.endsWith('-shm') && statSync(rig.file(name)).size > 0)
      .filter((name) => statSync(rig.file(name)).isFile())
      .map((name) => [
        name,
        createHash('sha256')
          .update(readFileSync(rig.file(name)))
          .digest('hex'),
      ]),
  );
}

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

test('reads a folder that cannot be written from a copy, which it says, and sees there that access is closed', async ({
  skip,
}) => {
  skip(!canBeBound, 'permissions of files bind nobody here');
  const before = contents();
  const folders = [
    '',
    'logs',
    'connections',
    ...readdirSync(rig.file('connections')).map((id) => `connections/${id}`),
  ];
  const allow = (mode: number) => folders.forEach((name) => void chmodSync(rig.file(name), mode));
  allow(0o500);
  try {
    await using agent = await AgentClient.start(rig.folder, { within: boundBy });
    await askAll(agent);
    const { answer, notes } = await agent.call('search', { text: 'golden' });
    expect(JSON.stringify(answer)).toContain(DATASET);
    expect(notes).toContainEqual(expect.stringContaining('this is a copy of it'));
    expect(contents()).toEqual(before);
    expect(existsSync(rig.file('logs/agents.jsonl'))).toBe(false);
    allow(0o700);
    const { connections } = await rig.answered('doctor');
    await rig.run('agents', 'close', connections[0].name);
    expect((await agent.call('overview')).text).toContain('FORBIDDEN');
  } finally {
    allow(0o700);
  }
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
  // A process that has ended holds nothing.
  if (!existsSync(`/proc/${pid}/mem`)) return found;
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
