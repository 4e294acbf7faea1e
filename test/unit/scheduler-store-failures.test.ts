/** A budget file that takes a write not at once: nothing waits for ever, nothing is sent without a permit. */
import { describe, expect, test } from 'vitest';
import { AppError } from '../../electron/shared/errors.ts';
import { answered, dateAt, lane, overridden, schedulerRig } from '../helpers/scheduler-rig.ts';

const failure = () => new AppError('STORE_FAILED', 'Expected a commit, got none in a test.');

/** A rig whose ledger fails as often as `failing` says, after it did its work: as a commit does on a full disk. */
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
        // Every permit with a transaction of its own, as where several share a file.
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
    'is tried again, and everything that waits goes, once each and in its order (%s)',
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

  test('again and again ends what waits with its error, and what comes once it is mended is sent', async () => {
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

  test('with an answer that others wait for is written later', async () => {
    const { world, submit, budget, failing } = failingRig();
    const one = submit('one', { priority: 'upload' });
    await world.run(60);
    await one;
    failing.flush = 2;
    await world.run(10_000);
    const [permit] = [...budget.permits.values()];
    expect(permit?.doneAtMs).not.toBeNull();
  });

  test('when time that was slept through should move: the answer that told of it still counts', async () => {
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
    expect(scheduler.status()[0]).toMatchObject({ inFlight: 0, why: 'retry-after', queued: 1 });
  });
});
