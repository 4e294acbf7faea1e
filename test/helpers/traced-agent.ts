/**
 * Runs `spandeck mcp` under strace, calls all of its tools, and records the state of a folder as the system sees it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { AgentClient } from './agent-client.ts';

export const APPLICATION = 'Support assistant';
export const DATASET = 'Support answers, golden set';

/** Whether strace works; containers may forbid it. */
export const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

/** Calls each tool that reads rows in another way. */
export async function askAll(agent: AgentClient): Promise<string> {
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

/** The log of an agent, and the folder that it may create for the log. */
export const LOGS = /^logs(?:\/[\w.]+)?$/;

interface Traced {
  /** Arguments of successful calls that change the file system, or open a file for writing. */
  changed: string[];
  /** Files to which bytes were written, or whose length was changed. */
  written: string[];
  /** Calls that use a network. */
  sent: string[];
}

const CHANGING =
  'openat,open,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,chmod,fchmod,fchmodat,utimensat,link,linkat,symlink,symlinkat';
const WRITING =
  'write,writev,pwrite64,pwritev,pwritev2,ftruncate,truncate,fallocate,copy_file_range,sendfile';

/** Runs `ask` with an agent under strace. Paths in the folder are relative to it. */
export async function traced(folder: string, ask: (agent: AgentClient) => Promise<unknown>): Promise<Traced> {
  const file = `${folder}-trace.txt`;
  const calls = `${CHANGING},${WRITING},connect,socket,sendto,sendmsg`;
  // With the filter, only the traced calls stop the process, and not every call of every thread.
  const within = [
    ...['strace', '--seccomp-bpf', '-f', '-qq', '-y', '-s', '4096'],
    ...['-o', file, '-e', `trace=${calls}`],
  ];
  const agent = await AgentClient.start(folder, { within, isTraced: true });
  await ask(agent);
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
  const inside = (path: string) => (path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path);
  return {
    changed: byCall(CHANGING)
      .filter(isChange)
      .flatMap((line) => [...line.matchAll(/"([^"]*)"/g)].map(([, path = '']) => inside(path))),
    written: byCall(WRITING).flatMap((line) => {
      const path = /\(\d+<(\/[^>]*)>/.exec(line)?.[1];
      return path === undefined ? [] : [inside(path)];
    }),
    sent: lines.filter((line) => /\b(connect|socket|sendto)\(/.test(line)),
  };
}

/** As root, SQLite sets the owner of each log and index that it opens to the present owner, which changes the ctime. */
const isRoot = process.getuid?.() === 0;

/** Inode, mode, size, times and a hash of the bytes for each file and folder, except for the log. */
export function footprint(folder: string): Record<string, string> {
  const names = ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].toSorted();
  return Object.fromEntries(
    names
      .filter((name) => !LOGS.test(name))
      .map((name) => {
        const path = join(folder, name);
        const { ino, mode, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
        const hash = statSync(path).isFile()
          ? createHash('sha256').update(readFileSync(path)).digest('hex')
          : '';
        return [name, `${ino} ${mode} ${size} ${mtimeNs} ${isRoot ? '' : ctimeNs} ${hash}`];
      }),
  );
}
