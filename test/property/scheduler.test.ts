/**
 * Schedules of arrivals, latencies, cancels, rejections, other users, clock jumps, sleep, kills and restarts with a
 * strict service. `PROPERTY_RUNS` sets their number (10,000 for a long run), `PROPERTY_SEED` repeats one,
 * `PROPERTY_COUNTS=1` prints which conditions occurred.
 */
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { runs } from '../helpers/runs.ts';
import { CALM, type Schedule, schedules } from '../helpers/scheduler-schedule.ts';
import { type Outcome, simulate } from '../helpers/scheduler-simulation.ts';

const parameters = { numRuns: runs(120) };
const TIMEOUT_MS = Math.max(60_000, parameters.numRuns * 200);

/** Number of schedules in which each condition occurred. */
const reached = new Map<string, number>();
let counted = 0;

async function run(one: Schedule): Promise<Outcome> {
  const outcome = await simulate(one);
  counted++;
  const { counting, policy, reset, remaining, category } = one;
  const said = [counting, policy, `reset ${reset}`, `remaining ${remaining}`, category];
  for (const what of [...outcome.reached, ...said]) reached.set(what, (reached.get(what) ?? 0) + 1);
  return outcome;
}

const NOTHING_WRONG = {
  early: 0,
  afterSettle: 0,
  whilePaused: 0,
  askedAgain: 0,
};

/** After a hundred answers without rate headers, a service counts as unlimited until its first rejection. */
const saysNothing = ({ policy, remaining, reset }: Schedule): boolean =>
  [policy, remaining, reset].every((said) => said === 'absent');

describe('against a strict service', () => {
  test(
    'alone with the token: no request over any limit, every submission ends once',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(false), async (one) => {
          const outcome = await run(one);
          expect(outcome).toMatchObject(NOTHING_WRONG);
          if (!saysNothing(one)) expect(outcome).toMatchObject({ violations: 0, refusals: 0 });
          // There is no other client, but a service that reports nothing left may make it look so.
          if (one.remaining !== 'zero' && outcome.refusals === 0) expect(outcome.foreign).toBe(0);
          expect(outcome.settled).toBe(outcome.submitted);
        }),
        parameters,
      );
    },
    TIMEOUT_MS,
  );

  test(
    'with use of the token by others: our share stays within the limit and nothing is sent before Retry-After',
    async () => {
      await fc.assert(
        fc.asyncProperty(schedules(true), async (one) => {
          const outcome = await run(one);
          expect(outcome).toMatchObject(NOTHING_WRONG);
          if (!saysNothing(one)) expect(outcome.violations).toBe(0);
          expect(outcome.settled).toBe(outcome.submitted);
        }),
        parameters,
      );
    },
    TIMEOUT_MS,
  );

  test('the schedules above cover their conditions', () => {
    const rare = [
      '429',
      'parked',
      'foreign use known',
      'a day later',
      'cancel while waiting',
      'pause while busy',
    ];
    const clocks = ['clock jump while busy', 'sleep while busy', 'computer restart while busy'];
    const missing = [...rare, ...clocks, 'kill while busy', 'a second process joins', 'file'].filter(
      (what) => (reached.get(what) ?? 0) === 0,
    );
    expect(counted < 200 ? [] : missing).toEqual([]);
  });

  test('several answers at one instant: the announced reset frees no more permits than the service says', async () => {
    // Found by the property above: permits were freed by time, and if several had the same time, all of them were
    // freed.
    const calm = { process: 0, priority: 'view', group: '', isRepeatSafe: false, isShared: false } as const;
    const outcome = await simulate({
      ...CALM,
      category: 'event-deletion',
      bursts: [
        { ...calm, atMs: 3_000, count: 31, lane: 1, abortAfterMs: null },
        { ...calm, atMs: 0, count: 13, lane: 0, abortAfterMs: null },
        { ...calm, atMs: 0, count: 1, lane: 1, abortAfterMs: null },
      ],
      foreign: [
        { atMs: 1, count: 5, lane: 1 },
        { atMs: 0, count: 1, lane: 0 },
      ],
    });
    expect(outcome).toMatchObject({ violations: 0, early: 0, settled: 45 });
  });

  test('an unstated limit of a service is detected by one rejection', async () => {
    // Found by the property above, which had wrongly expected none.
    const all = { lane: 0, priority: 'view', group: '', isRepeatSafe: false, isShared: false } as const;
    const outcome = await simulate({
      ...CALM,
      ...{ counting: 'fixed', policy: 'absent', remaining: 'absent', reset: 'absent' },
      category: 'metadata-read',
      joinsAtMs: 0,
      bursts: [
        { ...all, atMs: 0, count: 100, process: 0, abortAfterMs: null },
        { ...all, atMs: 0, count: 37, process: 1, abortAfterMs: null },
      ],
      pauses: [{ atMs: 0, forMs: 13_006, process: 1, lane: null }],
    });
    expect(outcome).toMatchObject({ ...NOTHING_WRONG, violations: 1, refusals: 1, settled: 137 });
  });
});

afterAll(() => {
  if (process.env['PROPERTY_COUNTS'] === undefined) return;
  const lines = [...reached].sort((a, b) => b[1] - a[1]).map(([what, count]) => `${count} ${what}`);
  process.stdout.write(`of ${counted} schedules\n${lines.join('\n')}\n`);
});
