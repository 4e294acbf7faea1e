/** Real processes are killed with SIGKILL one after another, and their requests are still counted. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BudgetProcessOptions } from '../helpers/budget-process.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandeck-killed-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Line {
  event: 'sent' | 'answered' | 'status' | 'end';
  used: number;
  left: number;
}

/** Runs a process until its output satisfies `isEnough`, and then kills it. */
async function life(
  options: BudgetProcessOptions,
  isEnough: (lines: readonly Line[]) => boolean,
): Promise<Line[]> {
  const script = join(import.meta.dirname, '../helpers/budget-process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on('line', (text) => {
    lines.push(JSON.parse(text));
    if (isEnough(lines)) child.kill('SIGKILL');
  });
  await ended;
  return lines;
}

const count = (lines: readonly Line[], event: Line['event']) =>
  lines.filter((line) => line.event === event).length;

const statusOf = (lines: readonly Line[]) => lines.findLast(({ event }) => event === 'status');

const sentOf = (lines: readonly Line[]) => count(lines, 'sent');

test('event deletions: five processes, each killed at another moment, never more than 30 in the day', async () => {
  const options = {
    file: join(folder, 'budget.db'),
    category: 'event-deletion',
    count: 6,
    latencyMs: 30,
  } as const;
  const moments: ((lines: readonly Line[]) => boolean)[] = [
    (lines) => sentOf(lines) >= 1,
    (lines) => sentOf(lines) >= 6,
    (lines) => count(lines, 'answered') >= 1,
    (lines) => count(lines, 'end') >= 1,
  ];
  let sent = 0;
  for (const moment of moments) sent += sentOf(await life(options, moment));
  // The last process sends the requests that are left for the day.
  const last = await life({ ...options, count: 40 }, (lines) => statusOf(lines)?.left === 0);
  const status = statusOf(last);
  sent += sentOf(last);
  // A recorded permit may be unused, but each request has a permit.
  expect(status).toMatchObject({ used: 30, left: 0 });
  expect(sent).toBeLessThanOrEqual(30);
  expect(sent).toBeGreaterThanOrEqual(6);
});

test('trace deletions: those of a killed process count in its day', async () => {
  const options = {
    file: join(folder, 'budget.db'),
    category: 'genai-deletion',
    count: 5,
    latencyMs: 3_000,
  } as const;
  const sent = sentOf(await life(options, (lines) => sentOf(lines) >= 3));
  const last = await life(options, (lines) => count(lines, 'status') >= 1);
  const at = last.findIndex(({ event }) => event === 'status');
  const status = last[at];
  expect(status?.used).toBeGreaterThanOrEqual(sent + sentOf(last.slice(0, at)));
  expect((status?.used ?? 0) + (status?.left ?? 0)).toBe(100);
});
