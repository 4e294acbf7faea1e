/** The window is closed, or the application quits, while jobs run. */
import { expect, test } from 'vitest';
import { type ClosingAnswer, createBackground, type WhenClosed } from '../../electron/platform/background.ts';

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

test('closing while jobs run asks once; then they continue in the tray until the user returns', async () => {
  const { state, done, close, tray } = setUp();
  expect(await close()).toBe(true);
  expect(done).toEqual(['asked about 1', 'hidden', 'tray']);
  tray()?.onOpen();
  expect(done.splice(0)).toContain('shown');
  expect(await close()).toBe(true);
  expect(done).toEqual(['hidden', 'tray']);
  expect(state.choice).toBe('background');
});

test('quits without a question if no work would stop or the answer is known, and closes while quitting', async () => {
  const { state, done, close, background } = setUp();
  state.running = 0;
  // The window stays until its page has saved its changes; the quit closes it.
  expect(await close()).toBe(true);
  expect(done.splice(0)).toEqual(['quit']);
  background.quit();
  expect(done.splice(0)).toEqual(['quit']);
  state.running = 2;
  state.choice = 'quit';
  expect(await close()).toBe(true);
  expect(done.splice(0)).toEqual(['quit']);
  state.choice = 'ask';
  state.isClosing = true;
  expect(await close()).toBe(false);
  expect(done).toEqual([]);
});

test('cancel keeps the window open and asks again next time; quitting warns of jobs that would stop', async () => {
  const { state, done, close, background } = setUp();
  state.answer = 'cancel';
  expect(await close()).toBe(true);
  expect(await close()).toBe(true);
  expect(done.splice(0)).toEqual(['asked about 1', 'asked about 1']);
  state.quits = false;
  background.quit();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done.splice(0)).toEqual(['shown', 'asked to quit 1']);
  state.quits = true;
  background.quit();
  await new Promise((resolve) => setImmediate(resolve));
  expect(done).toEqual(['shown', 'asked to quit 1', 'quit']);
});

test('without a tray closing quits; on macOS the window closes and the application stays', async () => {
  const other = setUp({ hasTray: false });
  expect([await other.close(), other.done]).toEqual([true, ['quit']]);
  const mac = setUp({ hasTray: false, isMac: true });
  mac.state.running = 0;
  expect(await mac.close()).toBe(true);
  expect(mac.done).toEqual(['hidden']);
});

test('a quit started by macOS asks, in a visible window, if jobs would stop', async () => {
  const { state, done, background } = setUp({ isMac: true });
  expect(background.asksFirst()).toBe(true);
  expect(background.asksFirst()).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(done.splice(0)).toEqual(['shown', 'asked to quit 1', 'quit']);
  state.running = 0;
  expect(background.asksFirst()).toBe(false);
  expect(setUp().background.asksFirst()).toBe(false);
  expect(done).toEqual([]);
});
