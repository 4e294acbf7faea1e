/**
 * How long a session that answers agents keeps its connection open, as other processes may want to change the
 * connection.
 */
import { beforeEach, expect, test } from 'vitest';
import { HeldSessions } from '../../electron/cli/agents/held-sessions.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

let clock: VirtualClock;
let open: Set<string>;
let closed: string[];
let notes: string[];
let ending: Promise<void>;
let sessions: HeldSessions;

beforeEach(() => {
  clock = new VirtualClock();
  open = new Set(['one', 'two']);
  closed = [];
  notes = [];
  ending = Promise.resolve();
  sessions = new HeldSessions({
    clock,
    note: (text) => notes.push(text),
    isOpen: (id) => open.has(id),
    close: (id) => {
      closed.push(id);
      return ending;
    },
  });
});

test('a session ends a few seconds after the last call, and not while one is running', async () => {
  const slow = Promise.withResolvers<string>();
  const running = sessions.use('one', () => slow.promise);
  await Promise.resolve();
  clock.advance(600_000);
  expect(closed).toEqual([]);
  slow.resolve('answer');
  expect(await running).toBe('answer');
  clock.advance(4_000);
  expect(closed).toEqual([]);
  expect(await sessions.use('one', async () => 'again')).toBe('again');
  clock.advance(4_000);
  expect(closed).toEqual([]);
  clock.advance(1_500);
  expect(closed).toEqual(['one']);
  expect(clock.pending).toBe(0);
});

test('a connection that is closed to agents is released within a second, and its running calls are refused', async () => {
  let heard: AbortSignal | null = null;
  const running = sessions.use('one', (signal) => {
    heard = signal;
    return new Promise<never>(() => undefined);
  });
  await sessions.use('two', async () => 'other');
  open.delete('one');
  clock.advance(300);
  await expect(running).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(heard).toMatchObject({ aborted: true });
  expect(closed).toEqual(['one']);
});

test('access that cannot be read ends the session', async () => {
  const damaged = new HeldSessions({
    clock,
    note: (text) => notes.push(text),
    isOpen: () => {
      throw new Error('damaged');
    },
    close: async (id) => void closed.push(id),
  });
  await damaged.use('one', async () => 'answer');
  clock.advance(300);
  expect(closed).toEqual(['one']);
});

test('a call waits until the session before it has ended, also if that fails', async () => {
  const ended = Promise.withResolvers<void>();
  ending = ended.promise;
  await sessions.use('one', async () => 'first');
  clock.advance(6_000);
  const seen: string[] = [];
  const next = sessions.use('one', async () => void seen.push('second'));
  await Promise.resolve();
  expect(seen).toEqual([]);
  ended.reject(new Error('The store is busy'));
  await next;
  expect(seen).toEqual(['second']);
  expect(notes).toEqual(['The connection was not closed: The store is busy']);
});

test('a session is in use from the moment at which a call asks for it', async () => {
  const end = Promise.withResolvers<void>();
  ending = end.promise;
  await sessions.use('one', async () => 'first');
  const next = sessions.use('one', async () => closed.length);
  clock.advance(6_000);
  expect(await next).toBe(0);
  clock.advance(6_000);
  expect(closed).toEqual(['one']);
  end.resolve();
});

test('a session whose end fails at once does not stop the calls after it', async () => {
  const broken = new HeldSessions({
    clock,
    note: (text) => notes.push(text),
    isOpen: () => true,
    close: () => {
      throw new Error('The store is busy');
    },
  });
  await broken.use('one', async () => 'first');
  clock.advance(6_000);
  expect(await broken.use('one', async () => 'second')).toBe('second');
  expect(notes).toEqual(['The connection was not closed: The store is busy']);
});

test('after the end of the server no timer is left', async () => {
  await sessions.use('one', async () => 'answer');
  expect(clock.pending).toBe(1);
  sessions.stop();
  expect(clock.pending).toBe(0);
});
