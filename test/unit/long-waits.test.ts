/** Notes of a command while it waits long for the rate limits, or for another process. */
import { expect, test } from 'vitest';
import { createLongWaits } from '../../electron/cli/long-waits.ts';
import type { LaneStatus } from '../../electron/shared/traffic-model.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

const OPERATION = 'GET /v3/projects';

function lane(queued: number, longestWaitMs: number, others?: LaneStatus['wait']['others']): LaneStatus {
  const wait = { reason: 'in-flight', text: 'Waiting for answers.', untilMs: null, window: null };
  return {
    ...{ operation: OPERATION, queued, longestWaitMs, inFlightOfOthers: 1 },
    wait: { ...wait, pausedBy: null, error: null, ...(others === undefined ? {} : { others }) },
  } as LaneStatus;
}

test.each([
  [[{ pid: 7, isStopped: false }], ' Wait for process 7, or end it if it does not answer.'],
  [
    [
      { pid: 7, isStopped: false },
      { pid: 8, isStopped: false },
    ],
    ' Wait for processes 7, 8, or end them if they do not answer.',
  ],
  [undefined, ' Wait for the other window or command, or end it if it does not answer.'],
  [[{ pid: 7, isStopped: true }], ''],
])('a wait for %j is said once, after five seconds, although nothing changes', (others, advice) => {
  const clock = new VirtualClock();
  const startMs = clock.nowMs();
  const notes: string[] = [];
  let queued = 1;
  const waits = createLongWaits(
    clock,
    () => ({ lanes: [lane(queued, clock.nowMs() - startMs, others)] }) as never,
    (text) => notes.push(text),
  );
  waits.changed();
  clock.advance(4_500);
  expect(notes).toEqual([]);
  clock.advance(2_000);
  expect(notes).toEqual([`${OPERATION} waits. Waiting for answers.${advice}`]);
  clock.advance(300_000);
  expect(notes).toHaveLength(1);
  queued = 0;
  clock.advance(2_000);
  expect(clock.pending).toBe(0);
  waits.stop();
});

test('a wait is not said again while only the counts in its text change', () => {
  const clock = new VirtualClock();
  const notes: string[] = [];
  const waits = createLongWaits(
    clock,
    () => {
      const waiting = lane(1, 10_000, [{ pid: 7, isStopped: false }]);
      const text = `${2 + (clock.nowMs() % 2)} requests wait.`;
      return { lanes: [{ ...waiting, wait: { ...waiting.wait, text } }] } as never;
    },
    (text) => notes.push(text),
  );
  waits.changed();
  for (let turn = 0; turn < 9; turn += 1) clock.advance(1_001);
  expect(notes).toHaveLength(1);
  waits.stop();
});
