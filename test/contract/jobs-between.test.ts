/** Acts on a job between two of its states: just halted, waiting, or with its last request in flight. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { toAppError } from '../../electron/shared/errors.ts';
import { begun, type Kind, type Program } from '../helpers/jobs-kind.ts';
import { KINDS } from '../helpers/jobs-kinds.ts';
import { offline, tooMany, World } from '../helpers/jobs-world.ts';
import { settled } from '../helpers/virtual-world.ts';

const PLAN_MS = 60_000;
const HOUR_MS = 3_600_000;

let world: World;
beforeEach(() => {
  world = new World();
});
afterEach(() => world.end());

/** Turns of about one millisecond: threads that read files may take seconds on a busy computer. */
const MAX_TURNS = 20_000;

/** Fails if it takes too many turns, as for a job that waits for nobody. */
async function until(isSo: () => boolean): Promise<void> {
  let turns = 0;
  await world.until(() => {
    turns += 1;
    if (turns > MAX_TURNS) throw new Error('It does not come about.');
    return isSo();
  });
}

/** Does an act on a planned job here, and has another program start the job at the moment of its commit. */
async function startedMeanwhile(kind: Kind, action: 'cancel' | 'call-off' | 'schedule') {
  const [one, other] = [kind.open(world, 1), kind.open(world, 2)];
  await one.begin(world.clock.nowMs() + HOUR_MS);
  const id = one.view()?.id ?? '';
  let isTried = false;
  one.life.beforeCommit = () => {
    one.life.beforeCommit = () => undefined;
    isTried = true;
    begun((async () => other.control('start'))());
  };
  const isChanged = await (async () => one.control(action, world.clock.nowMs() + 2 * HOUR_MS))().then(
    () => true,
    () => false,
  );
  return { other, isTried, isChanged, isStarted: one.leases.read(id) !== null };
}

describe.each(KINDS)('$name, planned', (kind) => {
  const { states, parts } = kind;

  test.each(['cancel', 'call-off', 'schedule'] as const)(
    'started by another program at the moment of a %s here, it is either started or changed, not both',
    async (action) => {
      const { other, isTried, isChanged, isStarted } = await startedMeanwhile(kind, action);
      // A kind that cannot be cancelled while it is planned refuses that before it writes anything.
      expect(isTried || action === 'cancel').toBe(true);
      expect([isChanged, isStarted].filter(Boolean)).toHaveLength(isTried ? 1 : 0);
      if (!isStarted) return;
      await until(() => {
        for (const request of [...world.service.open]) request.answer();
        return other.view()?.state === states.over && world.service.open.length === 0;
      });
      expect(world.service.sent.toSorted()).toEqual([...parts].toSorted());
    },
  );
});

const readFirst = KINDS.filter(({ name }) => ['upload of rows', 'change of many records'].includes(name));

test.each(readFirst)(
  '$name, planned: a start by another program wins over a cancel that read the job before',
  async (kind) => {
    expect(await startedMeanwhile(kind, 'cancel')).toMatchObject({ isChanged: false, isStarted: true });
  },
);

const pausable = KINDS.filter(({ lacks }) => lacks.pause === undefined);

describe.each(pausable)('$name', (kind) => {
  const { states, parts } = kind;
  const stateOf = (program: Program) => program.view()?.state;
  const first = Math.min(parts.length, kind.atOnce);

  async function sending(): Promise<Program> {
    const program = kind.open(world, 1);
    await program.begin(null);
    await world.requests(first);
    return program;
  }

  async function answerUntil(program: Program, state = states.over): Promise<void> {
    await until(() => {
      for (const request of [...world.service.open]) request.answer();
      return stateOf(program) === state && world.service.open.length === 0;
    });
  }

  test('paused and resumed at once, it continues to its end', async () => {
    const program = await sending();
    await program.control('pause');
    await program.control('resume');
    await answerUntil(program);
    expect(program.view()?.error).toBeNull();
    expect(new Set(world.service.done)).toEqual(new Set(parts));
    if (kind.isRepeated === undefined) expect(world.service.sent.toSorted()).toEqual([...parts].toSorted());
  });

  test('paused and planned at once, it starts at its time, or says truly why it cannot be planned yet', async () => {
    const program = await sending();
    await program.control('pause');
    const refused = await (async () => program.control('schedule', world.clock.nowMs() + PLAN_MS))().then(
      () => null,
      (thrown: unknown) => toAppError(thrown),
    );
    expect(refused?.message ?? '').not.toMatch(/is running|are on their way|Pause it first/);
    await answerUntil(program, refused === null ? states.planned : states.paused);
    await until(() => program.leases.read(program.view()?.id ?? '') === null);
    if (refused !== null) await program.control('schedule', world.clock.nowMs() + PLAN_MS);
    world.clock.advance(PLAN_MS);
    await answerUntil(program);
    expect(new Set(world.service.done)).toEqual(new Set(parts));
  });

  test('told to wait for an hour, it continues soon after the computer has slept through that hour', async () => {
    const program = await sending();
    for (const request of [...world.service.open]) request.fail(tooMany(HOUR_MS));
    await until(() => stateOf(program) === states.limited && world.service.open.length === 0);
    const { length } = world.service.sent;
    // The wait begins once the work of the last request has ended.
    for (let turn = 0; turn < 30; turn += 1) {
      world.clock.advance(1_000);
      await settled();
    }
    expect(world.service.sent).toHaveLength(length);
    world.clock.jumpWall(HOUR_MS);
    await until(() => {
      if (world.clock.monotonicMs() < 2 * PLAN_MS) world.clock.advance(1_000);
      return world.service.sent.length > length;
    });
    await answerUntil(program);
    expect(new Set(world.service.done)).toEqual(new Set(parts));
  });

  test('paused while it waits for the connection, it stays paused when the connection is back', async () => {
    const program = await sending();
    for (const request of [...world.service.open]) request.fail(offline());
    await until(() => stateOf(program) === states.offline && world.service.open.length === 0);
    const { length } = world.service.sent;
    await program.control('pause');
    program.wake();
    for (let turn = 0; turn < 4; turn += 1) {
      world.clock.advance(PLAN_MS);
      await settled();
    }
    expect(stateOf(program)).toBe(states.paused);
    expect(world.service.sent).toHaveLength(length);
    await program.control('resume');
    await answerUntil(program);
    expect(new Set(world.service.done)).toEqual(new Set(parts));
  });
});
