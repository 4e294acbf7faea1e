/** For tests of texts about time, which would differ between the zones of the computers on which they run. */
import { afterAll, beforeAll } from 'vitest';
import { followFormats } from '../../renderer/lib/format.ts';

const USUAL = { numbers: 'comma', dates: 'day-month', isTwelveHours: false } as const;

/** Times are shown and entered in this zone in all tests of a file. Must be called outside of tests. */
export function showTimesIn(zone: string): void {
  beforeAll(() => followFormats(() => ({ ...USUAL, zone })));
  afterAll(() => followFormats(() => ({ ...USUAL, zone: undefined })));
}
