/** What a runtime has, and what it lacks: the same code over made-up runtimes. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { type ClosingAnswer, createBackground, type WhenClosed } from '../../electron/platform/background.ts';
import {
  addRecentFiles,
  hider,
  powerNews,
  systemUnlock,
  trayMaker,
} from '../../electron/platform/runtime-parts.ts';

test('a runtime that lacks all of it is asked for nothing', () => {
  const bare = { app: {}, Menu: {}, powerMonitor: new EventEmitter() };
  expect(trayMaker(bare)).toBeNull();
  expect(systemUnlock(bare)).toBeNull();
  expect(powerNews(bare).idleSeconds).toBeNull();
  expect(hider({})).toBeNull();
  addRecentFiles(bare, ['/a.csv']);
});

test('a runtime that has it is used as Electron is', async () => {
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
  const powerMonitor = Object.assign(new EventEmitter(), { getSystemIdleTime: () => 7 });
  const runtime = {
    Tray,
    nativeImage: { createFromBitmap: (pixels: Buffer) => ({ bytes: pixels.length }) },
    Menu: { buildFromTemplate: (items: { label: string }[]) => items.map(({ label }) => label) },
    app: { addRecentDocument: (path: string) => seen.push(path) },
    powerMonitor,
    systemPreferences: {
      canPromptTouchID: () => true,
      promptTouchID: () => (isKnown ? Promise.resolve() : Promise.reject(new Error('cancelled'))),
    },
  };
  addRecentFiles(runtime, ['/a.csv', '/b.csv']);
  const tray = trayMaker(runtime)?.({
    hint: 'Spandeck',
    items: [{ label: 'Open', run: () => undefined }],
    onClick: () => seen.push('clicked'),
  });
  const made = seen[2];
  if (!(made instanceof Tray)) throw new Error('Expected a tray.');
  expect(made.image.bytes).toBe(32 * 32 * 4);
  made.emit('click');
  tray?.remove();
  expect(seen.filter((entry) => entry !== made)).toEqual([
    '/a.csv',
    '/b.csv',
    'Spandeck',
    ['Open'],
    'clicked',
    'destroyed',
  ]);
  const news = powerNews(runtime);
  expect(news.idleSeconds?.()).toBe(7);
  let away = 0;
  news.onAway(() => {
    away += 1;
  });
  powerMonitor.emit('suspend');
  powerMonitor.emit('lock-screen');
  expect(away).toBe(2);
  const unlock = systemUnlock(runtime);
  expect(unlock?.name).toBe('Touch ID');
  expect(await unlock?.ask()).toBe(true);
  isKnown = false;
  expect(await unlock?.ask()).toBe(false);
});

function setUp({ hasTray = true, isMac = false } = {}) {
  const state = {
    running: 1,
    choice: 'ask' as WhenClosed,
    isClosing: false,
    answer: 'background' as ClosingAnswer,
    quits: true,
  };
  const done: string[] = [];
  let tray: { onOpen: () => void; onQuit: () => void } | null = null;
  const background = createBackground({
    showTray: hasTray
      ? (of) => {
          done.push('tray');
          tray = of;
          return { remove: () => done.push('no tray') };
        }
      : null,
    hide: () => () => done.push('hidden'),
    show: () => done.push('shown'),
    running: () => state.running,
    choice: () => state.choice,
    keepChoice: (choice) => {
      state.choice = choice;
    },
    askClosing: async (running) => {
      done.push(`asked about ${running}`);
      return state.answer;
    },
    askQuitting: async (running) => {
      done.push(`asked to quit ${running}`);
      return state.quits;
    },
    quit: () => done.push('quit'),
    isClosing: () => state.isClosing,
    isMac,
  });
  const close = async () => {
    let isRefused = false;
    background.onClose({
      preventDefault: () => {
        isRefused = true;
      },
    });
    await new Promise((resolve) => setImmediate(resolve));
    return isRefused;
  };
  return { state, done, background, close, tray: () => tray };
}

test('closing while jobs run asks once, then they go on beside the clock until somebody comes back', async () => {
  const { state, done, close, tray } = setUp();
  expect(await close()).toBe(true);
  expect(done).toEqual(['asked about 1', 'hidden', 'tray']);
  tray()?.onOpen();
  expect(done.splice(0)).toContain('shown');
  expect(await close()).toBe(true);
  expect(done).toEqual(['hidden', 'tray']);
  expect(state.choice).toBe('background');
});

test('nothing is asked where nothing would stop, where the answer is known, and on the way out', async () => {
  const { state, done, close, background } = setUp();
  state.running = 0;
  expect(await close()).toBe(false);
  background.quit();
  expect(done.splice(0)).toEqual(['quit']);
  state.running = 2;
  state.choice = 'quit';
  expect(await close()).toBe(false);
  state.choice = 'ask';
  state.isClosing = true;
  expect(await close()).toBe(false);
  expect(done).toEqual([]);
});

test('cancel leaves the window open and asks again; quitting warns of what would stop', async () => {
  const { state, done, close, background } = setUp();
  state.answer = 'cancel';
  expect(await close()).toBe(true);
  expect(await close()).toBe(true);
  expect(done.splice(0)).toEqual(['asked about 1', 'asked about 1']);
  state.quits = false;
  background.quit();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done.splice(0)).toEqual(['asked to quit 1']);
  state.quits = true;
  background.quit();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(['asked to quit 1', 'quit']);
});

test('without a tray closing quits; on macOS the window goes and the application stays', async () => {
  expect(await setUp({ hasTray: false }).close()).toBe(false);
  const mac = setUp({ hasTray: false, isMac: true });
  mac.state.running = 0;
  expect(await mac.close()).toBe(true);
  expect(mac.done).toEqual(['hidden']);
});
