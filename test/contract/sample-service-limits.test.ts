/** The limits in SERVICE.md S8 as the sample service enforces them, with a virtual clock. */
import { afterEach, describe, expect, it } from 'vitest';
import type { LimitOverrides } from '../../electron/sample-service/limit-settings.ts';
import { type RawAnswer, RawService, READ_ONLY_TOKEN } from '../helpers/sample-service.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

let raw: RawService | null = null;
afterEach(async () => {
  await raw?.service.stop();
  raw = null;
});

async function start(
  limits: 'spec' | 'off' | LimitOverrides,
): Promise<{ raw: RawService; clock: VirtualClock }> {
  const clock = new VirtualClock();
  raw = await RawService.start({ clock, limits, isEmpty: true, settings: { retryAfterGraceMs: 0 } });
  return { raw, clock };
}

/** Sends `count` requests one after another, and returns their statuses. */
async function statuses(service: RawService, count: number, path = '/v3/projects'): Promise<number[]> {
  const found: number[] = [];
  for (let request = 0; request < count; request += 1) found.push((await service.call('GET', path)).status);
  return found;
}

const limitHeaders = (answer: RawAnswer): (string | null)[] =>
  ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset', 'retry-after'].map((name) =>
    answer.headers.get(name),
  );

const START_S = Date.UTC(2025, 10, 3, 9, 0, 0) / 1_000;
const POLICY = '30 per 1 second, 1000 per 1 minute';

describe('metadata reads', () => {
  it('carry the headers, and a 429 with Retry-After past the limit', async () => {
    const { raw, clock } = await start('spec');
    const first = await raw.call('GET', '/v3/projects');
    expect(limitHeaders(first)).toEqual([POLICY, '29', String(START_S + 1), null]);
    expect(first.headers.get('date')).toBe(new Date(START_S * 1_000).toUTCString());
    clock.advance(400);
    expect(await statuses(raw, 29)).toEqual(Array(29).fill(200));
    const refused = await raw.call('GET', '/v3/projects');
    expect(refused.status).toBe(429);
    expect(limitHeaders(refused)).toEqual([POLICY, '0', String(START_S + 1), '1']);
    expect(raw.service.report()).toMatchObject({ overLimit: 1, beforeRetryAfter: 0 });
  });

  it('roll: capacity is free again exactly when its request is one second old', async () => {
    const { raw, clock } = await start('spec');
    await statuses(raw, 1);
    clock.advance(500);
    await statuses(raw, 29);
    clock.advance(499);
    expect(await statuses(raw, 1)).toEqual([429]);
    clock.advance(1);
    expect(await statuses(raw, 2)).toEqual([200, 429]);
    clock.advance(500);
    expect(await statuses(raw, 30)).toEqual([...Array(29).fill(200), 429]);
  });

  it('apply to the minute too, at 30 a second', async () => {
    const { raw, clock } = await start('spec');
    const all: number[] = [];
    for (let second = 0; second < 34; second += 1) {
      all.push(...(await statuses(raw, 30)));
      clock.advance(1_000);
    }
    expect(all.filter((status) => status === 200)).toHaveLength(1_000);
    const refused = await raw.call('GET', '/v3/projects');
    expect(refused.headers.get('retry-after')).toBe('26');
    clock.advance(26_000);
    expect(await statuses(raw, 30)).toEqual(Array(30).fill(200));
  });

  it('count per endpoint and per token', async () => {
    const { raw } = await start('spec');
    await statuses(raw, 30);
    expect(await statuses(raw, 1)).toEqual([429]);
    expect(await statuses(raw, 1, '/v3/models')).toEqual([200]);
    expect((await raw.call('GET', '/v3/projects', { token: READ_ONLY_TOKEN })).status).toBe(200);
  });

  it('of one template share a budget for all ids', async () => {
    const { raw } = await start({ categories: { 'metadata-read': [{ count: 2, lengthMs: 1_000 }] } });
    const path = (digit: number): string => `/v3/applications/00000000-0000-4000-8000-00000000000${digit}`;
    const found = [1, 2, 3].map(async (digit) => (await raw.call('GET', path(digit))).status);
    expect((await Promise.all(found)).toSorted()).toEqual([404, 404, 429]);
  });
});

describe('deletion of events', () => {
  it('is 30 a day', async () => {
    const { raw, clock } = await start('spec');
    const body = { model_id: '00000000-0000-4000-8000-000000000000', event_ids: ['a'] };
    for (let request = 0; request < 30; request += 1) {
      expect((await raw.call('DELETE', '/v3/events', { body })).status).toBe(404);
      clock.advance(60_000);
    }
    const refused = await raw.call('DELETE', '/v3/events', { body });
    expect(limitHeaders(refused)).toEqual([
      '30 per 1 day',
      '0',
      String(START_S + 86_400),
      String(86_400 - 1_800),
    ]);
    clock.advance((86_400 - 1_800) * 1_000);
    expect((await raw.call('DELETE', '/v3/events', { body })).status).toBe(404);
  });

  it('does not affect publishing, which has no published limit', async () => {
    const { raw } = await start('spec');
    const answer = await raw.call('POST', '/v3/events', { body: {} });
    expect(limitHeaders(answer)).toEqual([null, null, null, null]);
  });
});

describe('the report of waits', () => {
  it('counts a request before Retry-After as a violation, and one after it not', async () => {
    const { raw, clock } = await start({ categories: { 'metadata-read': [{ count: 1, lengthMs: 5_000 }] } });
    await statuses(raw, 2);
    clock.advance(4_999);
    await statuses(raw, 1);
    expect(raw.service.report()).toMatchObject({ overLimit: 2, beforeRetryAfter: 1, violations: 3 });
    clock.advance(1_000);
    raw.service.clearReport();
    expect(await statuses(raw, 1)).toEqual([200]);
    expect(raw.service.report()).toMatchObject({ overLimit: 0, beforeRetryAfter: 0, violations: 0 });
  });

  it('counts a scripted Retry-After as well, on its own endpoint only', async () => {
    const { raw, clock } = await start('off');
    raw.service.setFaults([{ times: 1, action: { type: 'status', status: 503, retryAfterS: 3 } }]);
    expect(await statuses(raw, 1)).toEqual([503]);
    await statuses(raw, 1, '/v3/models');
    expect(raw.service.report().beforeRetryAfter).toBe(0);
    clock.advance(2_999);
    await statuses(raw, 1);
    expect(raw.service.report().beforeRetryAfter).toBe(1);
    clock.advance(1);
    await statuses(raw, 1);
    expect(raw.service.report().beforeRetryAfter).toBe(1);
  });

  it('ignores requests in flight when the answer was sent', async () => {
    const clock = new VirtualClock();
    raw = await RawService.start({
      clock,
      isEmpty: true,
      limits: { categories: { 'metadata-read': [{ count: 1, lengthMs: 5_000 }] } },
      settings: { retryAfterGraceMs: 50 },
    });
    await statuses(raw, 2);
    clock.advance(49);
    await statuses(raw, 1);
    expect(raw.service.report().beforeRetryAfter).toBe(0);
    clock.advance(1);
    await statuses(raw, 1);
    expect(raw.service.report().beforeRetryAfter).toBe(1);
  });
});

describe('policies of limits', () => {
  const window = { 'metadata-read': [{ count: 4, lengthMs: 1_000 }] };

  it('fixed windows restart at the full second', async () => {
    const { raw, clock } = await start({ policy: 'fixed', categories: window });
    clock.advance(900);
    const answer = await raw.call('GET', '/v3/projects');
    expect(answer.headers.get('x-ratelimit-reset')).toBe(String(START_S + 1));
    expect(await statuses(raw, 4)).toEqual([200, 200, 200, 429]);
    clock.advance(100);
    expect(await statuses(raw, 5)).toEqual([200, 200, 200, 200, 429]);
  });

  it('buckets refill evenly', async () => {
    const { raw, clock } = await start({ policy: 'bucket', categories: window });
    expect(await statuses(raw, 5)).toEqual([200, 200, 200, 200, 429]);
    clock.advance(249);
    expect(await statuses(raw, 1)).toEqual([429]);
    clock.advance(1);
    expect(await statuses(raw, 2)).toEqual([200, 429]);
    clock.advance(10_000);
    expect(await statuses(raw, 5)).toEqual([200, 200, 200, 200, 429]);
  });

  it('can be off, completely or for one category', async () => {
    const off = await start('off');
    expect(await statuses(off.raw, 40)).toEqual(Array(40).fill(200));
    expect((await off.raw.call('GET', '/v3/projects')).headers.get('x-ratelimit-limit')).toBeNull();
    await off.raw.service.stop();
    const { raw } = await start({
      categories: { 'metadata-read': 'off', unlisted: [{ count: 1, lengthMs: 60_000 }] },
    });
    expect(await statuses(raw, 40)).toEqual(Array(40).fill(200));
    await raw.call('POST', '/v3/events', { body: {} });
    expect((await raw.call('POST', '/v3/events', { body: {} })).status).toBe(429);
  });
});
