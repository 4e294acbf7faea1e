/** No starvation: limits how many requests of a lane can be sent before a waiting one, whatever else arrives. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PRIORITIES, type Priority } from '../../electron/core/priority.ts';
import { LaneQueue, type Queued } from '../../electron/scheduler/lane-queue.ts';
import { runs } from '../helpers/runs.ts';
import { answered, lane, schedulerRig } from '../helpers/scheduler-rig.ts';

/**
 * After this number of requests with higher priority, one with lower priority is sent. Each of these may be overtaken
 * by the others with low priority.
 */
const STARVATION_BOUND = 16 + PRIORITIES.length - 1;
const GROUPS = ['', 'a', 'b', 'c'];

interface Waiting extends Queued {
  /** Number of requests that were taken since it was pushed or moved. */
  passedBy: number;
  /** Maximum number of other requests that may be taken before it. */
  bound: number;
}

const command = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('push' as const),
      priority: fc.constantFrom<Priority[]>('view', 'view', 'view', 'click', 'outbox', 'upload', 'prefetch'),
      group: fc.constantFrom(...GROUPS),
      count: fc.integer({ min: 1, max: 12 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('shift' as const), count: fc.integer({ min: 1, max: 30 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), index: fc.nat(200) }) },
);

describe('no starvation', () => {
  test('in a lane: with any pushes and removals, each is taken within its bound', () => {
    fc.assert(
      fc.property(fc.array(command, { maxLength: 60 }), (commands) => {
        const queue = new LaneQueue<Waiting>();
        const inside: Waiting[] = [];
        const take = () => {
          const taken = queue.shift();
          if (taken === null) return;
          inside.splice(inside.indexOf(taken), 1);
          expect(taken.passedBy).toBeLessThanOrEqual(taken.bound);
          for (const other of inside) other.passedBy++;
        };
        for (const one of commands) {
          if (one.kind === 'shift') for (let index = 0; index < one.count; index++) take();
          else if (one.kind === 'remove') {
            const [gone] = inside.splice(one.index, 1);
            if (gone !== undefined) queue.remove(gone);
          } else {
            for (let index = 0; index < one.count; index++) {
              const { priority, group } = one;
              const ahead = inside.filter((job) => job.priority === priority && job.group === group).length;
              const bound = STARVATION_BOUND * GROUPS.length * (ahead + 1);
              const links = { inGroup: null, before: null, after: null };
              const job: Waiting = { priority, group, ...links, passedBy: 0, bound };
              inside.push(job);
              queue.push(job);
            }
          }
        }
        while (queue.size > 0) take();
      }),
      { numRuns: runs(300) },
    );
  });

  test.each(['click', 'outbox', 'upload', 'prefetch'] as const)(
    '%s is sent within the bound while views keep arriving',
    async (priority) => {
      const { world, submit, names } = schedulerRig();
      const more = () => void submit('view').then(more);
      for (let index = 0; index < 100; index++) more();
      await world.run(10);
      for (const other of ['click', 'outbox', 'upload', 'prefetch'] as const) {
        if (other !== priority) for (let index = 0; index < 50; index++) submit('other', { priority: other });
      }
      const before = names().length;
      submit('late', { priority });
      await world.run(30_000);
      const place = names().indexOf('late') - before;
      expect(place).toBeGreaterThanOrEqual(0);
      expect(place).toBeLessThanOrEqual(STARVATION_BOUND);
    },
  );

  test('among lanes: a waiting request is sent within 16 turns for each lane, whatever its priority', async () => {
    const { world, submit, sent } = schedulerRig(() => answered(200), { settings: { maxInFlight: 2 } });
    const lanes = 5;
    const at = (index: number) => ({ lane: lane('metadata-read', `GET /v3/${index}`) });
    const more = (index: number) => void submit(`view ${index}`, at(index)).then(() => more(index));
    for (let index = 0; index < lanes; index++) for (let each = 0; each < 20; each++) more(index);
    await world.run(1_000);
    const before = sent.length;
    submit('low', { ...at(9), priority: 'prefetch' });
    await world.run(60_000);
    const place = sent.findIndex(({ name }) => name === 'low') - before;
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThanOrEqual(16 * (lanes + 1));
  });
});

describe('fairness within a priority', () => {
  test('a short upload beside one of a hundred times its size ends in the time of twice its own requests', async () => {
    const { world, submit, sent } = schedulerRig();
    const long = Array.from({ length: 2_000 }, () => submit('long', { priority: 'upload', group: 'long' }));
    await world.run(5_000);
    const before = sent.length;
    const short = Array.from({ length: 20 }, () => submit('short', { priority: 'upload', group: 'short' }));
    await world.run();
    await Promise.all([...long, ...short]);
    const last = sent.findLastIndex(({ name }) => name === 'short');
    expect(last - before).toBeLessThanOrEqual(2 * 20);
    expect(sent).toHaveLength(2_020);
  });

  test('a group that arrives late is not sent before groups that wait longer', async () => {
    const { world, submit, names } = schedulerRig();
    for (let index = 0; index < 40; index++) submit('first', { priority: 'upload', group: 'first' });
    await world.run(500);
    for (const group of ['a', 'b', 'c']) {
      for (let index = 0; index < 5; index++) submit(group, { priority: 'upload', group });
    }
    await world.run(1_200);
    expect(names().slice(30, 38)).toEqual(['first', 'a', 'b', 'c', 'first', 'a', 'b', 'c']);
  });
});

describe('a waiting read with two callers', () => {
  test('has the higher priority of the two, and is sent once', async () => {
    const { world, submit, sent } = schedulerRig();
    for (let index = 0; index < 30; index++) submit('before', { priority: 'upload' });
    await world.run(500);
    for (let index = 0; index < 60; index++) submit('upload', { priority: 'upload' });
    const later = submit('page', { priority: 'prefetch', shareKey: 'page' });
    const now = submit('page', { priority: 'view', shareKey: 'page' });
    await world.run();
    expect(sent[30]?.name).toBe('page');
    expect(sent.filter(({ name }) => name === 'page')).toHaveLength(1);
    expect(await later).toEqual(await now);
  });
});
