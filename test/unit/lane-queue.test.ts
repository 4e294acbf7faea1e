import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PRIORITIES, type Priority } from '../../electron/core/priority.ts';
import { DelayHeap } from '../../electron/scheduler/delay-heap.ts';
import { LaneQueue, type Queued } from '../../electron/scheduler/lane-queue.ts';

interface Waiting extends Queued {
  name: string;
}

const waiting = (name: string, priority: Priority, group = ''): Waiting => ({
  name,
  priority,
  group,
  inGroup: null,
  before: null,
  after: null,
});

function drain(queue: LaneQueue<Waiting>): string[] {
  const names: string[] = [];
  for (let job = queue.shift(); job !== null; job = queue.shift()) names.push(job.name);
  return names;
}

describe('lane queue', () => {
  test('by priority, then group by group, then in order of arrival', () => {
    const queue = new LaneQueue<Waiting>();
    const jobs: [string, Priority, string][] = [
      ['p1', 'prefetch', 'x'],
      ['a1', 'upload', 'a'],
      ['a2', 'upload', 'a'],
      ['b1', 'upload', 'b'],
      ['v1', 'view', ''],
      ['c1', 'click', ''],
    ];
    for (const [name, priority, group] of jobs) queue.push(waiting(name, priority, group));
    expect(drain(queue)).toEqual(['v1', 'c1', 'a1', 'b1', 'a2', 'p1']);
  });

  test('ranked groups share one turn, which the first of them takes; other groups keep theirs', () => {
    const ranks = new Map([
      ['b', 0],
      ['a', 1],
    ]);
    const queue = new LaneQueue<Waiting>((group) => ranks.get(group) ?? null);
    const jobs = ['a1', 'a2', 'b1', 'b2', 'x1', 'x2', 'x3'];
    for (const name of jobs) queue.push(waiting(name, 'upload', name.slice(0, 1)));
    expect(drain(queue)).toEqual(['b1', 'b2', 'x1', 'a1', 'x2', 'a2', 'x3']);
    ranks.set('a', -1);
    for (const name of ['b1', 'a1', 'b2', 'a2']) queue.push(waiting(name, 'upload', name.slice(0, 1)));
    expect(drain(queue)).toEqual(['a1', 'a2', 'b1', 'b2']);
  });

  test('a requeued request goes ahead of its own group', () => {
    const queue = new LaneQueue<Waiting>();
    for (const name of ['1', '2', '3']) queue.push(waiting(name, 'upload'));
    const first = queue.shift();
    if (first !== null) queue.push(first, true);
    expect(drain(queue)).toEqual(['1', '2', '3']);
  });

  test('a lower priority waits for at most 16 of higher ones', () => {
    const queue = new LaneQueue<Waiting>();
    queue.push(waiting('low', 'prefetch'));
    for (let index = 0; index < 40; index++) queue.push(waiting(`${index}`, 'view'));
    expect(drain(queue).indexOf('low')).toBe(16);
  });

  test('under any pushes, moves and removals nothing is lost or returned twice', () => {
    const command = fc.oneof(
      fc.record({
        kind: fc.constant('push' as const),
        priority: fc.constantFrom(...PRIORITIES),
        group: fc.constantFrom('a', 'b', 'c'),
        isFirst: fc.boolean(),
      }),
      fc.record({ kind: fc.constant('shift' as const) }),
      fc.record({ kind: fc.constant('remove' as const), index: fc.nat(50) }),
      fc.record({
        kind: fc.constant('move' as const),
        priority: fc.constantFrom(...PRIORITIES),
        group: fc.constantFrom('a', 'b', 'c'),
      }),
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
        const queue = new LaneQueue<Waiting>();
        const inside = new Map<string, Waiting>();
        commands.forEach((one, step) => {
          if (one.kind === 'push') {
            const job = waiting(`${step}`, one.priority, one.group);
            inside.set(job.name, job);
            queue.push(job, one.isFirst);
          } else if (one.kind === 'shift') {
            const job = queue.shift();
            expect(job === null).toBe(inside.size === 0);
            if (job !== null) expect(inside.delete(job.name)).toBe(true);
          } else if (one.kind === 'remove') {
            const job = [...inside.values()][one.index];
            if (job !== undefined) queue.remove(job);
            inside.delete(job?.name ?? '');
          } else queue.moveGroup(one.group, one.priority);
          expect(queue.size).toBe(inside.size);
        });
        expect(new Set([...queue.requests()].map(({ name }) => name))).toEqual(new Set(inside.keys()));
        const sizes = [...queue.heads()].map(({ inGroup }) => inGroup?.size ?? 0);
        expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(inside.size);
        const looked = [...inside.values()].filter(({ priority }) => ['view', 'click'].includes(priority));
        expect(new Set(queue.interactiveRequests())).toEqual(new Set(looked));
        expect(new Set(drain(queue))).toEqual(new Set(inside.keys()));
      }),
    );
  });
});

describe('delay heap', () => {
  test('returns due entries, earliest first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(1_000), { maxLength: 60 }), fc.nat(1_000), (times, nowMs) => {
        const heap = new DelayHeap<number>();
        for (const time of times) heap.push(time, time);
        const due: number[] = [];
        for (let value = heap.popDue(nowMs); value !== null; value = heap.popDue(nowMs)) due.push(value);
        expect(due).toEqual(times.filter((time) => time <= nowMs).sort((a, b) => a - b));
        expect(heap.size).toBe(times.length - due.length);
      }),
    );
  });
});
