/** The application ends without delay, even if one of its parts hangs or fails. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { closeAll, createPageSaver } from '../../electron/platform/closing.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

function setUp({ windowEnds = true, pageAnswers = true, isClosedMeanwhile = false }) {
  const clock = new VirtualClock();
  const done: string[] = [];
  const note = (message: string) => done.push(message);
  const logger = {
    ...{ debug: note, info: note, warn: note, error: note },
    flushSync: () => done.push('flushed'),
    flush: () => Promise.resolve(),
  };
  const window = Object.assign(new EventEmitter(), {
    close: () => {
      if (isClosedMeanwhile) throw new TypeError('Object has been destroyed');
      done.push('window asked');
      if (windowEnds) window.emit('closed');
    },
  });
  const save = () => {
    done.push('page asked to save');
    if (isClosedMeanwhile) window.emit('closed');
    return pageAnswers ? turn() : new Promise<void>(() => undefined);
  };
  const close = (stop: () => Promise<void>) =>
    closeAll({ window: window as never, save, stop, clock, logger: logger as never });
  return { clock, done, close, window };
}

test('lets the page save, closes the window, then the parts', async () => {
  const { done, close } = setUp({});
  await close(async () => {
    done.push('stopped');
  });
  expect(done).toEqual(['page asked to save', 'window asked', 'stopped', 'closed', 'flushed']);
});

test('does not wait for a window and a part that hang, and logs a part that fails', async () => {
  const hung = setUp({ windowEnds: false, pageAnswers: false });
  const ended = hung.close(() => new Promise(() => undefined));
  await hung.clock.advance(10_000);
  await turn();
  expect(hung.done).toEqual(['page asked to save', 'window asked']);
  await hung.clock.advance(10_000);
  await turn();
  await hung.clock.advance(15_000);
  await ended;
  expect(hung.done).toEqual(['page asked to save', 'window asked', 'not closed in order', 'flushed']);
  const failed = setUp({});
  await failed.close(() => Promise.reject(new Error('no space left')));
  expect(failed.done).toEqual(['page asked to save', 'window asked', 'not closed in order', 'flushed']);
});

test('does not call a window that closed while its page saved, and stops the parts at once', async () => {
  const { done, close } = setUp({ isClosedMeanwhile: true, pageAnswers: false });
  await close(async () => {
    done.push('stopped');
  });
  expect(done).toEqual(['page asked to save', 'stopped', 'closed', 'flushed']);
});

test('a second click on the closing button does not cut off the saving', async () => {
  const { done, close, window } = setUp({ pageAnswers: false });
  const ended = close(async () => undefined);
  let isPrevented = false;
  window.emit('close', { preventDefault: () => (isPrevented = true) });
  expect([isPrevented, done]).toEqual([true, ['page asked to save']]);
  window.emit('closed');
  await ended;
});

test('waits for a page only if one listens', async () => {
  let isListening = false;
  let asked = 0;
  const saver = createPageSaver(
    () => (asked += 1),
    () => isListening,
  );
  await saver.save();
  expect(asked).toBe(0);
  isListening = true;
  let isSaved = false;
  const saving = saver.save().then(() => (isSaved = true));
  await turn();
  expect([asked, isSaved]).toEqual([1, false]);
  saver.saved();
  await saving;
  // An answer counts for one request only.
  isSaved = false;
  void saver.save().then(() => (isSaved = true));
  await turn();
  expect([asked, isSaved]).toEqual([2, false]);
});
