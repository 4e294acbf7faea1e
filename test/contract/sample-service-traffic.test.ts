/** The generated rows of production arrive at full hours; in a service of a test, none arrive during the test. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RawService } from '../helpers/sample-service.ts';

const HOUR_MS = 3_600_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['none arrive in a service of a test', {}, false],
  ['they arrive in the service that a person starts', { trafficUntilMs: Number.POSITIVE_INFINITY }, true],
])('after a full hour, %s', async (_which, settings, areMore) => {
  const raw = await RawService.start({ settings });
  try {
    const model = await raw.idOf('models.list', 'Bank churn');
    const rows = async () => {
      const { items } = await raw.page(`/v3/models/${model}/environments?type=PRODUCTION`);
      return Number(items[0]?.['row_count']);
    };
    const before = await rows();
    expect(before).toBeGreaterThan(0);
    vi.setSystemTime(Date.now() + HOUR_MS);
    expect((await rows()) > before).toBe(areMore);
  } finally {
    await raw.service.stop();
  }
});
