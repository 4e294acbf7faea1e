/** Real processes share one budget file and are killed in the middle of their work. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bootMs } from '../../electron/db/process-identity.ts';
import type { BudgetProcessOptions } from '../helpers/budget-process.ts';

let folder = '';
let file = '';
const children: { child: ChildProcess; ended: Promise<unknown> }[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandeck-budget-'));
  file = join(folder, 'budget.db');
});
afterEach(async () => {
  for (const { child, ended } of children.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

interface Line {
  event: 'sent' | 'answered' | 'status' | 'end';
  id: number;
  atMs: number;
  left: number;
}

/** Starts a real process, which adds to `lines` as it prints. */
function start(options: BudgetProcessOptions) {
  const script = join(import.meta.dirname, '../helpers/budget-process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push({ child, ended: once(child, 'close') });
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push(JSON.parse(text));
    for (const look of waiting) look();
  });
  const until = (isTrue: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!isTrue()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return { child, lines, until };
}

const sentBy = (lines: readonly Line[]) => lines.filter((line) => line.event === 'sent').length;

interface Request {
  sentMs: number;
  doneMs: number;
}

/** A request that was in flight when its process was killed counts as answered then. */
function requestsOf(processes: readonly { lines: Line[] }[], killedMs: number): Request[] {
  return processes.flatMap(({ lines }) =>
    lines
      .filter((line) => line.event === 'sent')
      .map((sent) => ({
        sentMs: sent.atMs,
        doneMs: lines.find((line) => line.event === 'answered' && line.id === sent.id)?.atMs ?? killedMs,
      })),
  );
}

/** Expects that each send has at most `count` requests in the second before it. */
function expectAtMost(count: number, requests: readonly Request[]): void {
  for (const { sentMs } of requests) {
    const occupying = requests.filter((other) => other.sentMs <= sentMs && other.doneMs > sentMs - 1_000);
    expect(occupying.length).toBeLessThanOrEqual(count);
  }
}

describe('several real processes on one file', () => {
  test('together they never send more in a second than the limit', async () => {
    const options = { file, category: 'metadata-write', count: 10, latencyMs: 15 } as const;
    const [first, second, third] = [start(options), start(options), start({ ...options, count: 60 })];
    await third.until(() => sentBy(third.lines) >= 3);
    third.child.kill('SIGKILL');
    const killedMs = bootMs();
    await Promise.all(
      [first, second].map(({ lines, until }) => until(() => lines.some((line) => line.event === 'end'))),
    );
    const requests = requestsOf([first, second, third], killedMs);
    expect(requests.length).toBeGreaterThanOrEqual(23);
    expectAtMost(10, requests);
  });

  test('a process killed at full load, one alone, and the next ones together stay within the limit', async () => {
    const options = { file, category: 'metadata-write', count: 60, latencyMs: 15 } as const;
    const first = start(options);
    await first.until(() => sentBy(first.lines) >= 24);
    first.child.kill('SIGKILL');
    await new Promise((resolve) => first.child.once('exit', resolve));
    const killedMs = bootMs();
    const second = start({ ...options, count: 14 });
    await second.until(() => second.lines.some((line) => line.event === 'end'));
    const requests = requestsOf([first, second], killedMs);
    expect(requests.length).toBeGreaterThanOrEqual(38);
    expectAtMost(10, requests);
  });

  test('a day holds 30 deletions, whichever process is killed at any moment', async () => {
    const options = { file, category: 'event-deletion', count: 40, latencyMs: 5 } as const;
    const [first, second] = [start(options), start(options)];
    await Promise.race([first, second].map(({ lines, until }) => until(() => sentBy(lines) > 0)));
    first.child.kill('SIGKILL');
    second.child.kill('SIGKILL');
    const last = start(options);
    // The last process sends the requests that are left for the day, and then nothing more.
    await last.until(() => last.lines.some(({ event, left }) => event === 'status' && left === 0));
    expect(last.lines.findLast(({ event }) => event === 'status')).toMatchObject({ used: 30, left: 0 });
    // A recorded permit may be unused, but each request has a permit.
    const total = [first, second, last].reduce((sum, { lines }) => sum + sentBy(lines), 0);
    expect(total).toBeGreaterThan(0);
    expect(total).toBeLessThanOrEqual(30);
  });
});
