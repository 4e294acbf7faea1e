/** The lock of the window, with a real file and virtual time. */
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAppLock } from '../../electron/platform/app-lock.ts';
import type { SystemUnlock } from '../../electron/platform/runtime-parts.ts';
import { lockWindow } from '../../electron/platform/window-lock.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const PASSPHRASE = 'correct horse';
let folder: DataFolder;
let clock: VirtualClock;
beforeEach(() => {
  folder = new DataFolder();
  clock = new VirtualClock();
});
afterEach(() => folder[Symbol.dispose]());

const file = () => folder.file('lock.json');
const make = (system: SystemUnlock | null = null) =>
  createAppLock({ file: file(), clock, logger: silentLogger, system });

test('does not lock without a passphrase; with one, locks every start until it is entered', async () => {
  const first = make();
  first.lock();
  expect(first.state()).toEqual({ isSet: false, isLocked: false, system: null, problem: null });
  await first.set(PASSPHRASE, null);
  expect(first.isLocked()).toBe(false);
  expect(readFileSync(file(), 'utf8')).not.toContain(PASSPHRASE);
  expect(statSync(file()).mode & 0o777).toBe(0o600);
  const next = make();
  expect(next.isLocked()).toBe(true);
  await expect(next.open('correct house')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  expect(next.isLocked()).toBe(true);
  await next.open(PASSPHRASE);
  expect(next.isLocked()).toBe(false);
  next.lock();
  expect(next.isLocked()).toBe(true);
});

test('changing or removing the passphrase requires it', async () => {
  const lock = make();
  await lock.set(PASSPHRASE, null);
  await expect(lock.set('another', null)).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  await lock.set('another', PASSPHRASE);
  await expect(lock.remove(PASSPHRASE)).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  await lock.remove('another');
  expect(make().state()).toMatchObject({ isSet: false, isLocked: false });
});

test('guesses get slower, concurrent ones too; the right one counts after the wait', async () => {
  await make().set(PASSPHRASE, null);
  const lock = make();
  const guesses = await Promise.allSettled(
    ['a', 'b', 'c', 'd', PASSPHRASE, 'f'].map((text) => lock.open(text)),
  );
  const codes = guesses.map((guess) => (guess.status === 'rejected' ? guess.reason.code : 'opened'));
  expect(codes).toEqual([...Array(4).fill('PASSPHRASE_WRONG'), 'LOCKED', 'LOCKED']);
  await expect(lock.open(PASSPHRASE)).rejects.toThrowError(/in 2 s/);
  await clock.advance(2_000);
  await expect(lock.open('g')).rejects.toMatchObject({ code: 'PASSPHRASE_WRONG' });
  await expect(lock.open(PASSPHRASE)).rejects.toThrowError(/in 4 s/);
  await clock.advance(4_000);
  await lock.open(PASSPHRASE);
  expect(lock.state()).toMatchObject({ isLocked: false });
});

test.each(['', '{"version":1', '{"version":1,"salt":"","key":""}'])(
  'a truncated file (%j) does not open the window',
  async (text) => {
    writeFileSync(file(), text);
    const lock = make({ name: 'Touch ID', ask: async () => true });
    expect(lock.state()).toMatchObject({
      isSet: true,
      isLocked: true,
      problem: expect.stringContaining('remove it'),
    });
    await expect(lock.open('')).rejects.toMatchObject({ code: 'LOCKED' });
    await expect(lock.openBySystem()).rejects.toMatchObject({ code: 'LOCKED' });
  },
);

test('the system can authenticate the user', async () => {
  await make().set(PASSPHRASE, null);
  let isKnown = false;
  const lock = make({ name: 'Touch ID', ask: async () => isKnown });
  expect(lock.state().system).toBe('Touch ID');
  await expect(lock.openBySystem()).rejects.toMatchObject({ code: 'LOCKED' });
  isKnown = true;
  await lock.openBySystem();
  expect(lock.isLocked()).toBe(false);
  await expect(make().openBySystem()).rejects.toMatchObject({ code: 'LOCKED' });
});

async function watched(systemIdleS: (() => number) | null = null) {
  const lock = make();
  await lock.set(PASSPHRASE, null);
  const done: string[] = [];
  const settings = { limitMs: 60_000 };
  let goAway: () => void = () => undefined;
  const windowLock = lockWindow({
    lock,
    clock,
    power: {
      idleSeconds: systemIdleS,
      onAway: (listener) => {
        goAway = listener;
      },
    },
    limitMs: () => settings.limitMs,
    askPage: () => done.push('asked'),
    reload: () => done.push('reloaded'),
  });
  return { lock, windowLock, done, settings, goAway: () => goAway() };
}

test('asks the page first after a time without input, and locks a page that hangs all the same', async () => {
  const { lock, windowLock, done } = await watched();
  await clock.advance(50_000);
  windowLock.active();
  await clock.advance(55_000);
  expect(done).toEqual([]);
  await clock.advance(6_000);
  expect([done, lock.isLocked()]).toEqual([['asked'], false]);
  await clock.advance(10_000);
  expect([done, lock.isLocked()]).toEqual([['asked', 'reloaded'], true]);
  await clock.advance(120_000);
  expect(done).toEqual(['asked', 'reloaded']);
  windowLock.stop();
});

test('locks a page that answers once', async () => {
  const { windowLock, done, lock } = await watched();
  await clock.advance(65_000);
  windowLock.lockNow();
  await clock.advance(10_000);
  expect([done, lock.isLocked()]).toEqual([['asked', 'reloaded'], true]);
  windowLock.stop();
});

test('counts input elsewhere on the computer if the system reports it; locks at once if the screen locks', async () => {
  let idleS = 3;
  const { done, goAway, settings, windowLock } = await watched(() => idleS);
  await clock.advance(300_000);
  expect(done).toEqual([]);
  settings.limitMs = 0;
  idleS = 9_999;
  await clock.advance(10_000);
  expect(done).toEqual([]);
  goAway();
  expect(done).toEqual(['asked']);
  windowLock.stop();
});
