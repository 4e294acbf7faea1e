/** The application ends without delay, even if one of its parts hangs or fails. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { closeAll } from '../../electron/platform/closing.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function setUp({ windowEnds = true }) {
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
      done.push('window asked');
      if (windowEnds) window.emit('closed');
    },
  });
  const close = (stop: () => Promise<void>) =>
    closeAll({ window: window as never, stop, clock, logger: logger as never });
  return { clock, done, close };
}

test('closes the window first, then the parts', async () => {
  const { done, close } = setUp({});
  await close(async () => {
    done.push('stopped');
  });
  expect(done).toEqual(['window asked', 'stopped', 'closed', 'flushed']);
});

test('does not wait for a window and a part that hang, and logs a part that fails', async () => {
  const hung = setUp({ windowEnds: false });
  const ended = hung.close(() => new Promise(() => undefined));
  await hung.clock.advance(10_000);
  await turn();
  await hung.clock.advance(15_000);
  await ended;
  expect(hung.done).toEqual(['window asked', 'not closed in order', 'flushed']);
  const failed = setUp({});
  await failed.close(() => Promise.reject(new Error('no space left')));
  expect(failed.done).toEqual(['window asked', 'not closed in order', 'flushed']);
});
