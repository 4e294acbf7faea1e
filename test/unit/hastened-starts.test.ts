/** Planned starts that are corrected if they are too far ahead. */
import { expect, test } from 'vitest';
import { HastenedStarts } from '../../electron/jobs/hastened-starts.ts';
import type { HostedLedger } from '../../electron/jobs/types.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

test('a job that cannot be read is logged once for each reason, and does not count as corrected', () => {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  let reason = 'The disk is full.';
  const starts = new HastenedStarts<HostedLedger>({
    clock,
    logger: { warn: (message) => void warnings.push(message) },
    kind: {
      what: 'upload',
      load: () => {
        throw new AppError('STORE_FAILED', reason);
      },
      latestStart: () => clock.nowMs(),
    },
    change: () => undefined,
  });
  const look = () => starts.correct([{ id: 'a', startAtMs: clock.nowMs() + 3_600_000 }]);
  expect([look(), look(), look()]).toEqual([false, false, false]);
  expect(warnings).toHaveLength(1);
  reason = 'The file is damaged.';
  look();
  expect(warnings).toHaveLength(2);
});
