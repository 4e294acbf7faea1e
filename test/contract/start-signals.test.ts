/** Signals from the terminal to the app: each signal is received, and each makes the app quit properly. */
import { spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createBackground } from '../../electron/platform/background.ts';
import { closeAll } from '../../electron/platform/closing.ts';
import { quitInOrder, quitOnSignals } from '../../electron/platform/signals.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const STARTER = join(import.meta.dirname, '../helpers/started-app.ts');

test.skipIf(process.platform === 'win32')('one Ctrl+C in a terminal reaches the app once', async () => {
  // A terminal puts a command into its own process group.
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

/**
 * A model of how Electron treats a signal. Its own handler quits on the first one and leaves the second to the system,
 * which ends the process. A handler of the app replaces it permanently. `quit` calls `before-quit` first.
 */
function madeUpElectron() {
  const app = new EventEmitter();
  const signals = new EventEmitter();
  const happened: string[] = [];
  let hasOwnHandler = true;
  const quit = () => {
    let isHeld = false;
    app.emit('before-quit', { preventDefault: () => (isHeld = true) });
    if (!isHeld) happened.push('exit');
  };
  return {
    happened,
    signals: signals as unknown as NodeJS.Process,
    app: Object.assign(app, { quit }) as unknown as Parameters<typeof quitInOrder>[0],
    send: (signal: string) => {
      const isOwn = hasOwnHandler;
      hasOwnHandler = false;
      if (signals.emit(signal)) return;
      if (isOwn) quit();
      else happened.push(`killed by ${signal}`);
    },
  };
}

test('an impatient Ctrl+C, and any signal after it, waits until everything is closed, once', async () => {
  const { app, signals, happened, send } = madeUpElectron();
  const stores = Promise.withResolvers<void>();
  const close = () => {
    happened.push('closing');
    return stores.promise.then(() => void happened.push('closed'));
  };
  const closing = quitInOrder(app, close, never);
  quitOnSignals(signals, closing.quit);
  expect(closing.isClosing()).toBe(false);
  for (const signal of ['SIGINT', 'SIGINT', 'SIGTERM', 'SIGHUP']) send(signal);
  expect(happened).toEqual(['closing']);
  expect(closing.isClosing()).toBe(true);
  stores.resolve();
  await expect.poll(() => happened).toEqual(['closing', 'closed', 'exit']);
});

test('isClosing() is true while close runs: a window that it closes must not be kept in the background', async () => {
  const { app, happened } = madeUpElectron();
  const seen: boolean[] = [];
  const close = () => {
    seen.push(closing.isClosing());
    return Promise.resolve();
  };
  const closing = quitInOrder(app, close, never);
  app.quit();
  expect(seen).toEqual([true]);
  await expect.poll(() => happened).toEqual(['exit']);
});

test('a quit of the system closes nothing until the user agrees, and after that there is no second question', async () => {
  const { app, happened } = madeUpElectron();
  let asked = 0;
  const close = async () => void happened.push('closing');
  const ended = quitInOrder(app, close, () => {
    asked += 1;
    return true;
  });
  app.quit();
  app.quit();
  expect([asked, ended.isClosing(), happened]).toEqual([2, false, []]);
  ended.quit();
  expect([asked, ended.isClosing()]).toEqual([2, true]);
  await expect.poll(() => happened).toEqual(['closing', 'exit']);
});

test('while nothing is open yet, a signal ends the app at once', () => {
  const { app, signals, happened, send } = madeUpElectron();
  quitOnSignals(signals, quitInOrder(app, () => null, never).quit);
  send('SIGINT');
  expect(happened).toEqual(['exit']);
});

/** If the system ends the app, the user is never asked. */
const never = () => false;

/** A window like those of Electron: it is asked before it closes, even if its own `close()` was called. */
function madeUpWindow(onClose: (event: { preventDefault(): void }) => void) {
  const window = new EventEmitter();
  const close = () => {
    let isRefused = false;
    onClose({ preventDefault: () => (isRefused = true) });
    if (!isRefused) window.emit('closed');
  };
  return Object.assign(window, { close });
}

test.each([
  ['with jobs under way', false, 'the menu'],
  ['on macOS, where a closed window is only hidden', true, 'the menu'],
  ['by the Dock of macOS', true, 'the system'],
])('a quit %s closes the window at once and hides nothing', async (_name, isMac, from) => {
  const { app, happened } = madeUpElectron();
  const clock = new VirtualClock();
  const logger = { ...silentLogger, flushSync: () => undefined, flush: () => Promise.resolve() };
  const close = () =>
    closeAll({
      window: window as never,
      save: async () => void happened.push('saved'),
      stop: async () => void happened.push('stopped'),
      clock,
      logger: logger as never,
    });
  const ended = quitInOrder(app, close, () => background.asksFirst());
  const background = createBackground({
    showTray: () => ({ remove: () => undefined }),
    hide: () => () => happened.push('hidden'),
    show: () => undefined,
    running: () => 2,
    choice: () => 'ask',
    keepChoice: () => undefined,
    askClosing: async () => 'cancel',
    askQuitting: async () => true,
    quit: ended.quit,
    isClosing: ended.isClosing,
    isMac,
  });
  const window = madeUpWindow(background.onClose);
  if (from === 'the system') app.quit();
  else background.quit();
  // The clock stands still, so waiting for the window's ten seconds would take forever.
  await expect.poll(() => happened).toEqual(['saved', 'stopped', 'exit']);
});
