/** Optional parts of a runtime, tested with fake runtimes. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { keepMinidumps } from '../../electron/platform/minidumps.ts';
import { readOpenRequest, TASKS } from '../../electron/platform/open-requests.ts';
import {
  addRecentFiles,
  hider,
  minimizer,
  offerTasks,
  onSystemEnd,
  powerNews,
  systemUnlock,
} from '../../electron/platform/runtime-parts.ts';
import { trayOf } from '../../electron/platform/tray.ts';

test('a runtime without any of them is asked for nothing', () => {
  const bare = { app: {}, Menu: {}, powerMonitor: new EventEmitter() };
  expect(trayOf(bare)).toBeNull();
  expect(systemUnlock(bare)).toBeNull();
  expect(powerNews(bare).idleSeconds).toBeNull();
  expect(powerNews(bare).isOnBattery()).toBeNull();
  expect(hider({})).toBeNull();
  expect(minimizer({})).toBeNull();
  onSystemEnd({}, {}, () => undefined);
  addRecentFiles(bare, ['/a.csv']);
  offerTasks(bare, '/spandeck', TASKS);
});

test('a runtime with all of them is used like Electron', async () => {
  const seen: unknown[] = [];
  class Tray extends EventEmitter {
    readonly image: { bytes: number };
    constructor(image: { bytes: number }) {
      super();
      this.image = image;
      seen.push(this);
    }
    setToolTip = (text: string) => seen.push(text);
    setContextMenu = (menu: unknown) => seen.push(menu);
    destroy = () => seen.push('destroyed');
  }
  let isKnown = true;
  const powerMonitor = Object.assign(new EventEmitter(), {
    getSystemIdleTime: () => 7,
    isOnBatteryPower: () => true,
  });
  const runtime = {
    Tray,
    nativeImage: { createFromBitmap: (pixels: Buffer) => ({ bytes: pixels.length }) },
    Menu: {
      buildFromTemplate: (items: { label: string; click: () => void }[]) => {
        for (const { click } of items) click();
        return items.map(({ label }) => label);
      },
    },
    app: { addRecentDocument: (path: string) => seen.push(path) },
    powerMonitor,
    systemPreferences: {
      canPromptTouchID: () => true,
      promptTouchID: () => (isKnown ? Promise.resolve() : Promise.reject(new Error('cancelled'))),
    },
  };
  addRecentFiles(runtime, ['/a.csv', '/b.csv']);
  const tray = trayOf(runtime)?.({ onOpen: () => seen.push('opened'), onQuit: () => seen.push('quit') });
  const made = seen[2];
  if (!(made instanceof Tray)) throw new Error('Expected a tray.');
  expect(made.image.bytes).toBe(32 * 32 * 4);
  made.emit('click');
  tray?.remove();
  expect(seen.filter((entry) => entry !== made)).toEqual([
    '/a.csv',
    '/b.csv',
    'Spandeck: jobs go on',
    'opened',
    'quit',
    ['Open Spandeck', 'Quit'],
    'opened',
    'destroyed',
  ]);
  const news = powerNews(runtime);
  expect(news.idleSeconds?.()).toBe(7);
  let away = 0;
  news.onAway(() => {
    away += 1;
  });
  let back = 0;
  news.onBack(() => {
    back += 1;
  });
  powerMonitor.emit('suspend');
  powerMonitor.emit('lock-screen');
  powerMonitor.emit('resume');
  expect([away, back]).toEqual([2, 1]);
  expect(news.isOnBattery()).toBe(true);
  let changes = 0;
  news.onPower(() => {
    changes += 1;
  });
  powerMonitor.emit('on-ac');
  powerMonitor.emit('on-battery');
  expect(changes).toBe(2);
  const unlock = systemUnlock(runtime);
  expect(unlock?.name).toBe('Touch ID');
  expect(await unlock?.ask()).toBe(true);
  isKnown = false;
  expect(await unlock?.ask()).toBe(false);
});

test('the jump list opens views of the window, by links that the start reads', () => {
  const given: Record<string, unknown>[] = [];
  const app = { setUserTasks: (tasks: Record<string, unknown>[]) => given.push(...tasks) };
  offerTasks({ app }, 'C:\\Spandeck.exe', TASKS);
  expect(given[0]).toMatchObject({ program: 'C:\\Spandeck.exe', title: 'Uploads', iconIndex: 0 });
  const opened = given.map((task) => readOpenRequest([String(task['arguments'])], '/', () => false).command);
  expect(opened).toEqual(['go.uploads', 'go.search', 'go.my-jobs']);
});

test('minidumps stay in their folder and are sent nowhere, if the runtime writes them', () => {
  const calls: unknown[] = [];
  keepMinidumps({ app: { setPath: () => calls.push('path') } }, '/dumps');
  expect(calls).toEqual([]);
  const app = { setPath: (...of: unknown[]) => calls.push(of) };
  const crashReporter = { start: (of: unknown) => calls.push(of) };
  keepMinidumps({ app, crashReporter }, '/dumps');
  expect(calls).toEqual([['crashDumps', '/dumps'], { uploadToServer: false, compress: false }]);
});

test('a full-screen window leaves full screen before it is hidden', () => {
  const done: string[] = [];
  let isFull = true;
  const window = Object.assign(new EventEmitter(), {
    hide: () => done.push('hidden'),
    isFullScreen: () => isFull,
    setFullScreen: (wanted: boolean) => done.push(`full screen ${wanted}`),
  });
  hider(window)?.();
  expect(done).toEqual(['full screen false']);
  window.emit('leave-full-screen');
  expect(done.splice(0)).toEqual(['full screen false', 'hidden']);
  isFull = false;
  hider(window)?.();
  expect(done).toEqual(['hidden']);
});

test('a log-out and a restart of the computer end the application; the system waits for it if possible', () => {
  const done: string[] = [];
  const powerMonitor = new EventEmitter();
  const window = new EventEmitter();
  onSystemEnd({ powerMonitor }, window, () => done.push('left'));
  powerMonitor.emit('shutdown', { preventDefault: () => done.push('waits') });
  expect(done.splice(0)).toEqual(['waits', 'left']);
  window.emit('session-end', { reasons: ['shutdown'] });
  expect(done).toEqual(['left']);
});
