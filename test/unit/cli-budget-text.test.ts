/** How the command line shows limits: only those in use, or all of them on request. */
import { expect, test } from 'vitest';
import { budgetText } from '../../electron/cli/budget-command.ts';
import type { LaneStatus } from '../../electron/shared/traffic-model.ts';

const MINUTE = 60_000;

function lane(operation: string, used: number, lengthMs = MINUTE): LaneStatus {
  const window = { count: 1_000, lengthMs, used, left: 1_000 - used, foreign: 0, resetsAtMs: null };
  return {
    origin: 'https://example.com',
    operation,
    title: operation,
    limitTitle: 'Metadata read',
    windows: [window],
    queued: 0,
    queuedBy: { view: 0, click: 0, outbox: 0, upload: 0, prefetch: 0 },
    retrying: 0,
    inFlight: 0,
    inFlightOfOthers: 0,
    parkedUntilMs: null,
    longestWaitMs: 0,
    reason: 'ready',
    wait: { reason: 'ready', text: '', untilMs: null, window: null, pausedBy: null, error: null },
    nextSendAtMs: null,
    isPaused: false,
    learned: {
      source: 'stated',
      policy: '1000 per minute',
      inFlightLimit: null,
      factor: 1,
      refusals: 0,
      changedAtMs: null,
    },
  };
}

const overview = (lanes: LaneStatus[]) => ({ lanes, waiting: [], isAllPaused: false, uploadOrder: null });
const idle = Array.from({ length: 40 }, (_, index) => lane(`GET /v3/idle-${index}`, 0));

test('unused limits are counted; a limit that lasts a day is always shown', () => {
  const lines = budgetText(
    overview([lane('GET /v3/models', 3), ...idle, lane('DELETE /v3/events', 0, 24 * 60 * MINUTE)]),
    false,
  ).split('\n');
  expect(lines.map((line) => line.split('  ')[0])).toEqual([
    'operation',
    'GET /v3/models',
    'DELETE /v3/events',
    'Not in use: 40 more operations. Run budget --all for all of them.',
  ]);
  expect(lines[1]).toMatch(/1,000 per min +3 +997 /);
});

test('a limit that is slowed down, waiting or in flight is in use', () => {
  const slowed = lane('GET /v3/slowed', 0);
  slowed.learned.factor = 0.5;
  const shown = [
    slowed,
    { ...lane('GET /v3/waits', 0), queued: 1 },
    { ...lane('GET /v3/sent', 0), inFlight: 1 },
  ];
  const text = budgetText(overview([...shown, ...idle.slice(0, 1)]), false);
  for (const { operation } of shown) expect(text).toContain(operation);
  expect(text).toContain('Not in use: 1 more operation. ');
});

test('shows all of them on demand', () => {
  expect(budgetText(overview(idle), true).split('\n')).toHaveLength(41);
  expect(budgetText(overview(idle), false)).toBe(
    'Not in use: 40 more operations. Run budget --all for all of them.',
  );
});
