import { describe, expect, test } from 'vitest';
import { ServiceClock } from '../../electron/core/limits/service-clock.ts';

const ORIGIN = 'http://127.0.0.1';
const HOUR_MS = 3_600_000;

/**
 * An answer with the `Date` of `serviceMs`, truncated to seconds, to a request sent at `sentAtMs` that took
 * `latencyMs`. Our wall clock is correct.
 */
const stamp = (serviceMs: number, sentAtMs: number, latencyMs = 100, wallMs = serviceMs + latencyMs) => ({
  origin: ORIGIN,
  dateMs: Math.floor(serviceMs / 1_000) * 1_000,
  sentAtMs,
  receivedAtMs: sentAtMs + latencyMs,
  wallMs,
});

describe('the service clock', () => {
  test('is measured ever more exactly from dates truncated to seconds', () => {
    const clock = new ServiceClock(null);
    for (let index = 0; index < 200; index++) {
      const atMs = index * 317;
      clock.note(stamp(atMs + 50 + 1_234_567, atMs));
    }
    const offset = clock.offset();
    expect(offset?.lowMs).toBeLessThanOrEqual(1_234_567);
    expect(offset?.highMs).toBeGreaterThanOrEqual(1_234_567);
    expect((offset?.highMs ?? 0) - (offset?.lowMs ?? 0)).toBeLessThan(150);
    // The result is never earlier than by the clock of the service.
    expect(clock.latestLocalMs(1_234_567 + 90_000)).toBeGreaterThanOrEqual(90_000);
  });

  test('proves that time passed while the computer slept, at most as much as did', () => {
    const clock = new ServiceClock(null);
    expect(clock.note(stamp(10_000, 10_000))).toBeNull();
    const unseen = clock.note(stamp(10_000 + 8 * HOUR_MS, 11_000));
    expect(unseen?.untilMs).toBe(10_100);
    expect(unseen?.byMs).toBeGreaterThan(8 * HOUR_MS - 5_000);
    expect(unseen?.byMs).toBeLessThan(8 * HOUR_MS);
    expect(clock.note(stamp(12_000 + 8 * HOUR_MS, 13_000))).toBeNull();
  });

  test('one answer with a wrong date, or a changed wall clock, proves nothing by itself', () => {
    const clock = new ServiceClock(null);
    clock.note(stamp(10_000, 10_000));
    expect(clock.note(stamp(25 * HOUR_MS, 11_000, 100, 11_000))).toBeNull();
    const other = new ServiceClock(null);
    other.note(stamp(10_000, 10_000));
    expect(other.note(stamp(11_000, 11_000, 100, 25 * HOUR_MS))).toBeNull();
  });

  test('a stale date, and the return to the right one, proves nothing', () => {
    const clock = new ServiceClock(null);
    clock.note(stamp(HOUR_MS, 0));
    expect(clock.note(stamp(0, 1_000))).toBeNull();
    expect(clock.note(stamp(HOUR_MS + 2_000, 2_000))).toBeNull();
  });

  test('a clock that was set back is trusted after a while, and its progress from there proves nothing', () => {
    const clock = new ServiceClock(null);
    clock.note(stamp(HOUR_MS, 0));
    for (let index = 1; index <= 40; index++)
      expect(clock.note(stamp(index * 1_000, index * 1_000))).toBeNull();
    expect(clock.offset()?.highMs).toBeLessThan(2_000);
  });

  test('small differences between the clocks of several machines prove nothing', () => {
    const clock = new ServiceClock(null);
    for (let index = 0; index < 50; index++) {
      const skewMs = index % 2 === 0 ? 0 : 30_000;
      expect(clock.note(stamp(index * 1_000 + skewMs, index * 1_000))).toBeNull();
    }
  });
});
