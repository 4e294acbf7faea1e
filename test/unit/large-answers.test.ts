/** Memory for large answers is bounded and given to the oldest first, and no answer waits forever. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteRoom, type ByteShare } from '../../electron/api/large-answers.ts';
import { runs } from '../helpers/runs.ts';

const never = new AbortController().signal;
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

test('bytes beyond the bound wait until others are released, the oldest first', async () => {
  const room = new ByteRoom(100);
  const [oldest, second, third] = [room.enter(), room.enter(), room.enter()];
  expect(oldest.grow(60, never)).toBe(null);
  expect(second.grow(40, never)).toBe(null);
  const order: string[] = [];
  const later = [third.grow(50, never)?.then(() => order.push('third'))];
  later.push(second.grow(30, never)?.then(() => order.push('second')));
  // The oldest answer may exceed the bound, as otherwise no answer would ever finish.
  expect(oldest.grow(500, never)).toBe(null);
  await settled();
  expect(order).toEqual([]);
  oldest.letGo();
  await settled();
  expect(order).toEqual(['second']);
  second.letGo();
  await Promise.all(later);
  expect([order, room.bytes]).toEqual([['second', 'third'], 50]);
});

test('an answer with several readers keeps its bytes until the last of them has finished', () => {
  const room = new ByteRoom(100);
  const share = room.enter();
  share.grow(10, never);
  share.hold();
  share.letGo();
  expect(room.bytes).toBe(10);
  share.letGo();
  expect(room.bytes).toBe(0);
});

test('a reader cancelled while waiting takes no memory, and others continue', async () => {
  const room = new ByteRoom(100);
  const [oldest, second, third] = [room.enter(), room.enter(), room.enter()];
  oldest.grow(90, never);
  const controller = new AbortController();
  const given = second.grow(20, controller.signal);
  const waiting = third.grow(15, never);
  controller.abort(new Error('not wanted'));
  await expect(given).rejects.toThrow('not wanted');
  second.letGo();
  oldest.letGo();
  await waiting;
  expect(room.bytes).toBe(15);
  await expect(room.enter().grow(90, controller.signal)).rejects.toThrow('not wanted');
});

const steps = fc.array(fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }), {
  minLength: 1,
  maxLength: 8,
});

test('all answers finish however they grow, and only the oldest ever exceeds the bound', () =>
  fc.assert(
    fc.asyncProperty(steps, fc.scheduler(), async (answers, scheduler) => {
      const room = new ByteRoom(100);
      const entered: ByteShare[] = [];
      const read = async (sizes: readonly number[]): Promise<void> => {
        const share = room.enter();
        entered.push(share);
        for (const size of sizes) {
          await share.grow(size, never);
          const others = room.bytes - (entered[0]?.bytes ?? 0);
          expect(others).toBeLessThanOrEqual(100);
          await scheduler.schedule(Promise.resolve());
        }
        entered.splice(entered.indexOf(share), 1);
        share.letGo();
      };
      await scheduler.waitFor(Promise.all(answers.map(read)));
      expect(room.bytes).toBe(0);
    }),
    { numRuns: runs(200) },
  ));
