/** The process of `spandeck mcp` as the system sees it: it needs no network, and has no token. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AgentClient } from '../helpers/agent-client.ts';
import { cliRig } from '../helpers/cli-rig.ts';
import { TOKEN } from '../helpers/sample-service.ts';
import { APPLICATION, askAll, DATASET } from '../helpers/traced-agent.ts';

const canRun = (...words: string[]) => spawnSync(words[0] ?? '', words.slice(1)).status === 0;
/** Whether `unshare` works; containers may forbid it. */
const CAN_UNSHARE = canRun('unshare', '-rn', 'true');
const HAS_PROC = process.platform === 'linux';

const rig = cliRig('mcp-powerless', async ({ run }) => {
  await run('spans', '--application', APPLICATION, '--since', '7d', '--all');
  for (const list of ['applications', 'datasets', 'models']) await run(list, '--all');
  await run('items', DATASET, '--all');
  await run('agents', 'open', rig.connectionId);
});

test('answers the same without any network', async ({ skip }) => {
  skip(!CAN_UNSHARE, 'unshare is missing, or may not be used here');
  // Without the lanes of requests: those that the last minute did not use are no longer known at the second call.
  const facts = (text: string) => text.replaceAll(/"lanes":\[.*?\],"waiting"/g, '"waiting"');
  const requests = rig.service.report().requests;
  await using alone = await AgentClient.start(rig.folder, { within: ['unshare', '-rn'] });
  const answers = facts(await askAll(alone));
  await alone.end();
  await using usual = await AgentClient.start(rig.folder);
  expect(facts(await askAll(usual))).toBe(answers);
  expect(rig.service.report().requests).toBe(requests);
});

/** Ids of a process and of all processes that it started. */
function family(pid: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((name): [number, number][] => {
        try {
          const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
          return [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0])]];
        } catch (thrown) {
          // The process has just ended.
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

/** Whether the memory of a process contains any of the byte sequences. Pieces overlap by their length. */
function memoryHolds(pid: number, wanted: readonly Buffer[]): boolean[] {
  const found = wanted.map(() => false);
  const overlap = Math.max(...wanted.map(({ length }) => length));
  // A process that has ended contains nothing.
  if (!existsSync(`/proc/${pid}/mem`)) return found;
  const file = openSync(`/proc/${pid}/mem`, 'r');
  const piece = Buffer.alloc(PIECE + overlap);
  try {
    for (const line of readFileSync(`/proc/${pid}/maps`, 'utf8').split('\n')) {
      // Mapped files contain code, so they are skipped.
      const [, from = '', to = ''] = /^([0-9a-f]+)-([0-9a-f]+) r[^/]*$/.exec(line) ?? [];
      if (from === '' || /\[v(?:var|syscall|dso)/.test(line)) continue;
      for (let at = BigInt(`0x${from}`); at < BigInt(`0x${to}`); at += BigInt(PIECE)) {
        const left = BigInt(`0x${to}`) - at;
        const length = Number(left < BigInt(piece.length) ? left : BigInt(piece.length));
        let read = 0;
        try {
          read = readSync(file, piece, 0, length, at);
        } catch (thrown) {
          // A part of the memory that is reserved but not in use.
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
  // A text that was read must be found, which shows that the search works.
  expect(holds.some(([hasKnown]) => hasKnown)).toBe(true);
  for (const [, ...hasSecrets] of holds) expect(hasSecrets).toEqual(secrets.map(() => false));
});
