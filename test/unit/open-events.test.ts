/** Requests to open a file or link are kept until the application takes them. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { keepOpenEvents, type OpenEvent } from '../../electron/platform/open-events.ts';

test('passes on what came before it was taken, in order, and each later request at once', () => {
  const app = new EventEmitter();
  const takeOpenEvents = keepOpenEvents(app);
  let prevented = 0;
  const event = { preventDefault: () => (prevented += 1) };
  app.emit('open-file', event, '/data/early.csv');
  app.emit('second-instance', {}, ['/opt/spandeck', '--flag', 'a.csv'], '/home/jo');
  const taken: OpenEvent[] = [];
  takeOpenEvents((event) => taken.push(event));
  app.emit('open-url', event, 'spandeck://uploads');
  expect(taken).toEqual([
    { words: ['/data/early.csv'], folder: '/', isLaterStart: false },
    { words: ['--flag', 'a.csv'], folder: '/home/jo', isLaterStart: true },
    { words: ['spandeck://uploads'], folder: '/', isLaterStart: false },
  ]);
  expect(prevented).toBe(2);
});
