/** Signals on their way from the terminal to the app: as many as were sent, and each ends it in order. */
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { quitOnSignals } from '../../electron/platform/signals.ts';

const STARTER = join(import.meta.dirname, '../helpers/started-app.ts');

test.skipIf(process.platform === 'win32')('one Ctrl+C in a terminal reaches the app once', async () => {
  // A process group of its own is what a terminal makes for a command.
  const starter = spawn(process.execPath, [STARTER], { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const group = starter.pid ?? 0;
  let text = '';
  starter.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const closed = new Promise((resolve) => starter.on('close', resolve));
  onTestFinished(() => {
    if (starter.exitCode === null) process.kill(-group, 'SIGKILL');
  });
  await expect.poll(() => text, { timeout: 10_000 }).toMatch(/^ready \d+\n/);
  process.kill(-group, 'SIGINT');
  await expect.poll(() => text).toContain('SIGINT 1\n');
  process.kill(-group, 'SIGINT');
  await expect.poll(() => text).toContain('SIGINT 2\n');
  starter.kill('SIGTERM');
  expect(await closed).toBe(0);
  expect(text.match(/SIGINT/g)).toHaveLength(2);
});

test('each further signal is taken by the app itself, which ends in order', () => {
  const source = new EventEmitter();
  let quits = 0;
  quitOnSignals(source as unknown as NodeJS.Process, () => {
    quits += 1;
  });
  for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGHUP']) expect(source.emit(signal)).toBe(true);
  expect(quits).toBe(4);
});
