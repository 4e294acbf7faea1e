/** While the budget file cannot be written, no request waits forever and none is sent without a permit. */
import { describe, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { answered, dateAt, lane, overridden, schedulerRig } from '../helpers/scheduler-rig.ts';

const failure = () => new AppError('STORE_FAILED', 'Expected a commit, got none in a test.');

/** A rig whose ledger throws after it did its work, like a commit on a full disk, as often as `failing` states. */
function failingRig(respond?: Parameters<typeof schedulerRig>[0]) {
  const failing = { transact: 0, flush: 0, shiftBack: 0 };
  const rig = schedulerRig(respond, {
    wrap: (ledger) =>
      overridden(ledger, {
        transact: (isDurable, work) =>
          ledger.transact(isDurable, (changes, writer) => {
            const done = work(changes, writer);
            if (failing.transact-- > 0) throw failure();
            return done;
          }),
        // Every permit has a separate transaction, as if several processes shared the file.
        take: () => null,
        flush: () => {
          if (failing.flush-- > 0) throw failure();
          ledger.flush();
        },
        shiftBack: (...given) => {
          if (failing.shiftBack-- > 0) throw failure();
          return ledger.shiftBack(...given);
        },
      }),
  });
  return { ...rig, failing };
}

describe('a commit that fails', () => {
  test.each(['metadata-read', 'unlisted'] as const)(
    'is retried, and all waiting requests are sent, once each and in order (%s)',
    async (category) => {
      const { world, submit, names, failing } = failingRig();
      failing.transact = 3;
      const all = Array.from({ length: 40 }, (_, index) =>
        submit(`${index}`, { lane: lane(category), priority: 'upload' }),
      );
      await world.run(20_000);
      await Promise.all(all);
      expect(names()).toEqual(all.map((_, index) => `${index}`));
    },
  );

  test('repeatedly fails the waiting requests with its error, and later requests are sent once it works', async () => {
    const { world, submit, outcome, names, failing } = failingRig();
    failing.transact = 5;
    const first = outcome(submit('first', { priority: 'upload' }));
    await world.run(20_000);
    expect(await first).toBe('STORE_FAILED');
    const second = outcome(submit('second', { priority: 'upload' }));
    await world.run(40_000);
    expect(await second).toBe('status 200');
    expect(names()).toEqual(['second']);
  });

  test('for an answer that other requests wait for is retried later', async () => {
    const { world, submit, budget, failing } = failingRig();
    const one = submit('one', { priority: 'upload' });
    await world.run(60);
    await one;
    failing.flush = 2;
    await world.run(10_000);
    const [permit] = [...budget.permits.values()];
    expect(permit?.doneAtMs).not.toBeNull();
  });

  test('for time asleep: the answer that revealed it still counts', async () => {
    const night = 3_600_000;
    const { world, submit, scheduler, failing } = failingRig(({ name }) =>
      name === 'refused'
        ? answered(429, { retryAfter: '7200', date: dateAt(world) })
        : answered(200, { date: dateAt(world) }),
    );
    await Promise.all([submit('before'), world.run(1_000)]);
    world.sleep(night);
    failing.shiftBack = 1;
    await world.run(1_000 + night);
    submit('refused', { priority: 'upload' }).catch(() => undefined);
    await world.run(2_000 + night);
    expect(failing.shiftBack).toBe(0);
    expect(scheduler.status()[0]).toMatchObject({ inFlight: 0, reason: 'retry-after', queued: 1 });
  });
});
