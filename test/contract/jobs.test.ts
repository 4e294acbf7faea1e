import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AppError } from '../../electron/shared/errors.ts';
import type { OwnAct, Program } from '../helpers/jobs-kind.ts';
import { KINDS } from '../helpers/jobs-kinds.ts';
import { lost, offline, tooMany, unauthorized, World } from '../helpers/jobs-world.ts';
import { settled } from '../helpers/virtual-world.ts';

/** Far enough in the future. Until then, a lease is renewed every three seconds on a real disk. */
const PLAN_MS = 60_000;

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

/** The folder of a program that was killed while it had a running job of each kind. */
let killed: Promise<string> | null = null;
afterAll(async () => {
  if (killed !== null) rmSync(await killed, { recursive: true, force: true });
});

async function killOne(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'spandeck-jobs-killed-'));
  const script = fileURLToPath(new URL('../helpers/job-child.ts', import.meta.url));
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const early = ended.then(() => Promise.reject(new Error('It ended before it was killed.')));
  await Promise.race([once(child.stdout, 'data'), early]);
  early.catch(() => undefined);
  child.kill('SIGKILL');
  await ended;
  return folder;
}

const until = (isSo: () => boolean) => world.until(isSo);

describe.each(KINDS)('$name', (kind) => {
  const { states, parts } = kind;
  const stateOf = (program: Program) => program.view()?.state;
  const first = Math.min(parts.length, kind.atOnce);

  async function sending(pid = 1): Promise<Program> {
    const program = kind.open(world, pid);
    await program.begin(null);
    await world.requests(first);
    return program;
  }

  async function planned(pid = 1, inMs = PLAN_MS): Promise<Program> {
    const program = kind.open(world, pid);
    await program.recover(true);
    await program.begin(world.clock.nowMs() + inMs);
    return program;
  }

  /** Answers every request until the job has one of these states. */
  async function answerUntil(program: Program, state = states.over): Promise<void> {
    await until(() => {
      for (const request of [...world.service.open]) request.answer();
      return stateOf(program) === state && world.service.open.length === 0;
    });
  }

  /** Lets enough time pass for any automatic request. */
  async function later(): Promise<void> {
    for (let passed = 0; passed < 4; passed += 1) {
      world.clock.advance(PLAN_MS / 2);
      await settled();
      await settled();
    }
  }

  const failAll = (error: () => AppError) => {
    for (const request of [...world.service.open]) request.fail(error());
  };

  /** If the kind lacks the action, checks the reason instead. */
  function act(needed: OwnAct, title: string, run: () => Promise<void>): void {
    const lack = kind.lacks[needed];
    if (lack === undefined) test(title, run);
    else
      test(`lacks ${needed} (${title}): ${lack.reason}`, async () => {
        expect(await lack.holds(await sending())).toBe(true);
      });
  }

  test('act: each part is sent once, in order, and it ends', async () => {
    const program = await sending();
    expect(stateOf(program)).toBe(states.sending);
    await answerUntil(program);
    expect(world.service.done.toSorted()).toEqual([...parts].toSorted());
    expect(world.service.sent).toHaveLength(parts.length);
  });

  act('pause', 'pause: what is on its way is answered, and nothing follows it', async () => {
    const program = await sending();
    await program.control('pause');
    await answerUntil(program, states.paused);
    await later();
    expect(stateOf(program)).toBe(states.paused);
    expect(world.service.sent).toHaveLength(first);
    // The lease is released once the last answer is on disk.
    await until(() => program.leases.read(program.view()?.id ?? '') === null);
  });

  act('resume', 'resume: the rest is sent, and nothing twice', async () => {
    const program = await sending();
    await program.control('pause');
    await answerUntil(program, states.paused);
    await program.control('resume');
    await answerUntil(program);
    expect(world.service.sent.toSorted()).toEqual([...parts].toSorted());
  });

  act('cancel', 'cancel: it ends, and nothing more is sent', async () => {
    const program = await sending();
    const cancelling = program.control('cancel');
    failAll(lost);
    await cancelling;
    await until(() => stateOf(program) === states.cancelled);
    await later();
    expect(world.service.sent).toHaveLength(first);
    expect(stateOf(program)).toBe(states.cancelled);
  });

  test('start later: it starts at its time, after a restart as well', async () => {
    const before = await planned();
    world.clock.advance(PLAN_MS / 2);
    expect(before.view()).toMatchObject({ state: states.planned, startAtMs: expect.any(Number) });
    await before.life.stop();
    world.clock.advance(PLAN_MS);
    const program = kind.open(world, 2);
    await program.recover(true);
    await answerUntil(program);
    expect(world.service.sent).toHaveLength(parts.length);
  });

  test('start later: rescheduled it starts then, and cancelled it never starts', async () => {
    const program = await planned();
    await program.control('schedule', world.clock.nowMs() + 3 * PLAN_MS);
    world.clock.advance(2 * PLAN_MS);
    expect(program.view()?.startAtMs).not.toBeNull();
    await program.control('call-off');
    world.clock.advance(5 * PLAN_MS);
    await settled();
    expect(program.view()).toMatchObject({ state: states.calledOff, startAtMs: null });
    expect(world.service.sent).toHaveLength(0);
  });

  test('is sent by one of two processes at its planned time', async () => {
    const one = await planned();
    const other = kind.open(world, 2);
    await other.recover(true);
    world.clock.advance(2 * PLAN_MS);
    await world.requests(first);
    world.clock.advance(60_000);
    await settled();
    expect(world.service.sent).toHaveLength(first);
    expect(new Set(world.service.open.map(({ pid }) => pid)).size).toBe(1);
    const idle = world.service.open[0]?.pid === 1 ? other : one;
    await expect(idle.control('schedule', world.clock.nowMs() + PLAN_MS)).rejects.toMatchObject({
      code: expect.stringMatching(/CONFLICT|INVALID_ARGUMENT/),
    });
  });

  test('a job that another process is sending is taken over only after that process has ended', async () => {
    const one = await sending();
    const other = kind.open(world, 2);
    await other.recover(false);
    // Work that the first program still does while it is alive blocks the second one.
    for (let passed = 0; passed < 5; passed += 1) world.clock.advance(30_000);
    await other.recover(false);
    expect(stateOf(other)).toBe(states.sending);
    const at = world.clock.nowMs() + PLAN_MS;
    await expect((async () => other.control('schedule', at))()).rejects.toMatchObject({
      code: expect.stringMatching(/CONFLICT|INVALID_ARGUMENT/),
    });
    one.life.kill();
    world.clock.advance(5_000);
    expect(other.life.notes.at(-1)?.state).toBe(states.killed);
    expect(stateOf(other)).toBe(states.killed);
    expect(world.service.sent).toHaveLength(first);
  });

  test('kill -9: a request in flight is sent again only if that does no harm, and by the user', async () => {
    killed ??= killOne();
    const folder = await killed;
    await world.end();
    world = new World(folder);
    const program = kind.open(world, 2);
    await program.recover(false);
    expect(stateOf(program)).toBe(states.killed);
    await later();
    expect(world.service.sent).toEqual([]);
    if (kind.lacks.resume !== undefined) return;
    await program.control('resume');
    await answerUntil(program, states.lost);
    const isUnknown = states.lost === 'needs-decision';
    expect(world.service.sent.toSorted()).toEqual(parts.slice(isUnknown ? first : 0).toSorted());
  });

  test('open window: a job that a killed process started meanwhile is treated as after a restart', async () => {
    const window = kind.open(world, 2);
    await window.recover(true);
    const one = await sending();
    one.life.kill();
    const isResumed = kind.isResumedByWindow ?? kind.lacks.resume === undefined;
    const state = isResumed ? states.lost : states.killed;
    let looks = 0;
    await until(() => {
      looks += 1;
      expect(looks).toBeLessThan(5_000);
      world.clock.advance(1_000);
      for (const request of world.service.open.filter(({ pid }) => pid === 2)) request.answer();
      const id = window.view()?.id ?? '';
      return window.life.notes.at(-1)?.state === state && window.leases.read(id) === null;
    });
    const isRepeated = isResumed && states.lost !== 'needs-decision';
    const again = isResumed ? parts.slice(isRepeated ? 0 : first) : [];
    expect(world.service.sent.slice(first).toSorted()).toEqual(again.toSorted());
  });

  test('lost lease: a process whose job is taken over writes nothing more', async () => {
    const program = await sending();
    const id = program.view()?.id ?? '';
    world.alive.add(2);
    const lease = { owner: 'another', processId: 2, atMs: world.clock.nowMs() + PLAN_MS };
    program.leases.take(id, lease, () => true);
    const before = program.stored();
    for (const request of [...world.service.open]) request.answer();
    for (let turn = 0; turn < 10; turn += 1) await settled();
    world.clock.advance(PLAN_MS);
    await settled();
    expect(program.stored()).toEqual(before);
    expect(world.service.sent).toHaveLength(first);
  });

  test('slow disk: a process that blocks on each write keeps its job', async () => {
    const one = await sending();
    const other = kind.open(world, 2);
    await other.recover(true);
    one.life.commitMs = 8_000;
    await answerUntil(one);
    expect(world.service.sent).toHaveLength(parts.length);
    expect(other.life.notes.filter(({ state }) => state === states.killed)).toEqual([]);
  });

  test('slow disk: a process that blocked for a minute finds that another one took the job over', async () => {
    const one = await sending();
    const other = kind.open(world, 2);
    one.life.clock.isFrozen = true;
    world.clock.advance(60_000);
    await other.recover(false);
    // The silent process gets a few seconds to renew its claim, as after the computer slept.
    for (let seconds = 0; seconds < 12; seconds += 3) {
      world.clock.advance(3_000);
      await settled();
    }
    await until(() => stateOf(other) === states.killed);
    const taken = other.stored();
    one.life.clock.thaw();
    failAll(unauthorized);
    for (let turn = 0; turn < 10; turn += 1) await settled();
    expect(stateOf(other)).toBe(states.takenOver);
    if (states.takenOver === states.killed) expect(other.stored()).toEqual(taken);
    expect(world.service.sent).toHaveLength(first);
  });

  test('full disk: it is suspended with the reason, views are notified, and no part is lost or done twice', async () => {
    const program = await sending();
    program.life.isDiskFull = true;
    for (const request of [...world.service.open]) request.answer();
    await until(() => program.life.notes.at(-1)?.state === states.full);
    await later();
    expect(program.life.notes.at(-1)?.error).toEqual(
      states.full === states.over ? null : expect.objectContaining({ code: 'DISK_FULL' }),
    );
    expect(world.service.sent).toHaveLength(first);
    // A caller gets the new state like a listener, although the store still has the previous one.
    expect(program.view()).toMatchObject({
      state: states.full,
      error: states.full === states.over ? null : { code: 'DISK_FULL' },
    });
    program.life.isDiskFull = false;
    world.clock.advance(60_000);
    await settled();
    await program.recover(false);
    // Every process now knows the new state.
    await until(() => stateOf(kind.open(world, 2)) === states.full);
    if (kind.lacks.resume !== undefined) return;
    await program.control('resume');
    await answerUntil(program);
    expect(world.service.sent.toSorted()).toEqual([...parts].toSorted());
  });

  test('offline and back: it says why, and continues once there is a connection again', async () => {
    const program = await planned();
    world.clock.advance(PLAN_MS);
    await world.requests(first);
    failAll(offline);
    await until(() => program.view()?.error?.code === 'CONNECTION_REFUSED');
    await until(() => stateOf(program) === states.offline && world.service.open.length === 0);
    program.wake();
    await answerUntil(program);
    expect(world.service.done.toSorted()).toEqual([...parts].toSorted());
  });

  test('offline, and restarted at the moment in which it reported it: it is sent once more', async () => {
    const program = await planned();
    world.clock.advance(PLAN_MS);
    await world.requests(first);
    program.life.onNote = (state) => {
      if (state !== states.offline) return;
      program.life.onNote = () => undefined;
      if (kind.whenLimited === 'waits') program.wake();
      else program.control('start').catch(() => undefined);
    };
    failAll(offline);
    await until(() => world.service.sent.length > first);
    await answerUntil(program);
    expect(world.service.done.toSorted()).toEqual([...parts].toSorted());
  });

  test('offline, started by hand: it waits for the connection', async () => {
    const program = await sending();
    failAll(offline);
    await until(() => stateOf(program) === states.offline && world.service.open.length === 0);
    expect(program.view()?.error?.code).toBe('CONNECTION_REFUSED');
    program.wake();
    await answerUntil(program);
    expect(world.service.sent).toHaveLength(parts.length + first);
  });

  test('429: nothing is sent before the service allows it', async () => {
    const program = await sending();
    world.service.notBeforeMs = world.clock.nowMs() + 100_000;
    failAll(() => tooMany(100_000));
    await until(() => stateOf(program) === states.limited && world.service.open.length === 0);
    const { length } = world.service.sent;
    for (let turn = 0; turn < 9; turn += 1) {
      world.clock.advance(10_000);
      await settled();
    }
    expect(world.service.sent).toHaveLength(length);
    if (kind.whenLimited === 'waits') {
      let turn = 0;
      await until(() => {
        // The wait starts when the file is closed, whenever that is.
        turn += 1;
        if (turn % 200 === 0) world.clock.advance(10_000);
        return world.service.sent.length > length;
      });
      await answerUntil(program);
    } else await later();
    expect(stateOf(program)).toBe(kind.whenLimited === 'waits' ? states.over : states.limited);
  });

  test('lost answer: a request that may have changed something is not repeated automatically', async () => {
    const program = await sending();
    for (const request of [...world.service.open]) request.lose();
    const isRepeated = kind.isRepeated === true;
    await answerUntil(program, isRepeated ? states.offline : states.lost);
    program.wake();
    if (isRepeated) await answerUntil(program);
    await later();
    expect(stateOf(program)).toBe(states.lost);
    expect(world.service.sent).toHaveLength(parts.length + (isRepeated ? first : 0));
  });

  act('unknown', 'unknown: it stays unknown over a restart, and nobody sends it again', async () => {
    const program = await sending();
    program.life.kill();
    const other = kind.open(world, 2);
    await other.recover(false);
    expect(stateOf(other)).toBe(states.killed);
    await later();
    expect(world.service.sent).toHaveLength(first);
  });

  act('decide', 'decide: stored is not sent again, to be sent again is', async () => {
    const program = await sending();
    for (const count of [1, 2]) {
      await until(() => world.service.sent.length === count);
      world.service.open[0]?.lose();
    }
    await answerUntil(program, states.lost);
    await program.decide('stored');
    expect(stateOf(program)).toBe(states.lost);
    await program.decide('resend');
    await answerUntil(program);
    const [one = '', two = '', three = ''] = parts;
    expect(world.service.sent).toEqual([one, two, three, two]);
  });

  test('token rejected: it is suspended with the reason, and nothing more is sent', async () => {
    const program = await sending();
    failAll(unauthorized);
    await until(() => stateOf(program) === states.refused && world.service.open.length === 0);
    expect(program.view()?.error?.code).toBe('UNAUTHORIZED');
    program.wake();
    await later();
    expect(world.service.sent).toHaveLength(first);
  });
});
