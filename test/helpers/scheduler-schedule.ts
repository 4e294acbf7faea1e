/** Random scenarios for a request scheduler: requests, faults, changes of clocks, actions of users, other programs. */
import fc from 'fast-check';
import type { LimitCategory } from '../../electron/core/limits/limits.ts';
import { PRIORITIES, type Priority } from '../../electron/core/priority.ts';
import { CHOSEN_PRIORITIES, type ChosenPriority } from '../../electron/shared/traffic-model.ts';
import type { Counting, PolicyForm, RemainingForm, ResetForm, RetryAfterForm } from './service-model.ts';

export interface Burst {
  atMs: number;
  count: number;
  process: number;
  lane: number;
  priority: Priority;
  group: string;
  isRepeatSafe: boolean;
  isShared: boolean;
  /** Cancelled this long after its submission; null if never. */
  abortAfterMs: number | null;
}

/** How the service counts, and what it states about that. */
export interface ServiceForm {
  counting: Counting;
  policy: PolicyForm;
  retryAfter: RetryAfterForm;
  penaltyMs: number;
  resetIsFullLength: boolean;
  serviceClockMs: number;
  driftPpm: number;
  reset: ResetForm;
  remaining: RemainingForm;
  hasDate: boolean;
}

export interface Schedule extends ServiceForm {
  seed: number;
  /** Storage of the permits: in memory, or in a real file with one connection per process. */
  store: 'memory' | 'sqlite';
  category: LimitCategory;
  /** When the second process starts; null if never. */
  joinsAtMs: number | null;
  minLatencyMs: number;
  jitterMs: number;
  bursts: Burst[];
  foreign: { atMs: number; count: number; lane: number }[];
  /** Jumps of the wall clock. */
  jumps: { atMs: number; byMs: number }[];
  kills: { atMs: number; process: number; restartAfterMs: number }[];
  /** Times at which a process is killed: when its next permits are recorded, before anything is sent. */
  crashes: { atMs: number; process: number }[];
  /**
   * Times at which the computer sleeps, so that the clocks of processes stand still. After a restart, its processes no
   * longer exist.
   */
  sleeps: { atMs: number; forMs: number; isRestart: boolean }[];
  /** Shares of requests that have these outcomes. */
  faults: { failed500: number; unsent: number; lost: number };
  downs: { fromMs: number; lengthMs: number }[];
  /** Periods in which the token is rejected. The user enters it again some time after each prompt. */
  refusedTokens: { fromMs: number; lengthMs: number }[];
  /** Periods in which the user pauses a lane (null: all lanes) of one process. */
  pauses: { atMs: number; forMs: number; process: number; lane: number | null }[];
  /** Times at which the user chooses the priority of a group, or resets it. */
  moves: { atMs: number; process: number; group: string; priority: ChosenPriority | null }[];
}

const DAY_MS = 86_400_000;
const GROUPS = ['', 'a', 'b', 'c'];
const within = (max: number, min = 0) => fc.integer({ min, max });
const atMs = within(150_000);
const upTo = <T>(maxLength: number, shape: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.array(fc.record<T>(shape), { maxLength });

export const QUIET = { failed500: 0, unsent: 0, lost: 0 };

/** A calm schedule, from which tests of single counter-examples start. */
export const CALM: Schedule = {
  seed: 0,
  store: 'memory',
  category: 'metadata-read',
  joinsAtMs: 0,
  counting: 'rolling',
  policy: 'whole',
  retryAfter: 'seconds',
  penaltyMs: 0,
  resetIsFullLength: false,
  serviceClockMs: 0,
  driftPpm: 0,
  reset: 'epoch',
  remaining: 'exact',
  hasDate: true,
  minLatencyMs: 0,
  jitterMs: 0,
  bursts: [],
  foreign: [],
  jumps: [],
  kills: [],
  crashes: [],
  sleeps: [],
  faults: QUIET,
  downs: [],
  refusedTokens: [],
  pauses: [],
  moves: [],
};

const burst: fc.Arbitrary<Burst> = fc.record({
  atMs: within(150_000),
  count: fc.oneof(
    { arbitrary: within(12, 1), weight: 3 },
    { arbitrary: within(90, 1), weight: 4 },
    { arbitrary: within(300, 90), weight: 1 },
  ),
  process: within(1),
  lane: within(1),
  priority: fc.constantFrom(...PRIORITIES),
  group: fc.constantFrom(...GROUPS),
  isRepeatSafe: fc.boolean(),
  isShared: fc.boolean(),
  abortAfterMs: fc.option(within(5_000), { freq: 4 }),
});

const share = fc.double({ min: 0, max: 0.2, noNaN: true });
const rarely = <T>(value: fc.Arbitrary<T>, otherwise: T) =>
  fc.oneof({ arbitrary: fc.constant(otherwise), weight: 3 }, { arbitrary: value, weight: 1 });

const service: fc.Arbitrary<ServiceForm> = fc
  .record({
    counting: fc.constantFrom<Counting[]>('fixed', 'rolling', 'bucket'),
    policy: fc.constantFrom<PolicyForm[]>('whole', 'tightest', 'bare', 'absent'),
    retryAfter: fc.constantFrom<RetryAfterForm[]>(
      'seconds',
      'imf',
      'rfc850',
      'asctime',
      'absent',
      'nonsense',
    ),
    penaltyMs: fc.constantFrom(0, 0, 5_000, 120_000),
    resetIsFullLength: fc.boolean(),
    serviceClockMs: fc.oneof(within(3_600_000, -3_600_000), within(14 * 3_600_000, -14 * 3_600_000)),
    driftPpm: fc.constantFrom(0, 0, 50, -50),
    reset: rarely(
      fc.constantFrom<ResetForm[]>('epoch-cut', 'epoch-ms', 'iso', 'imf', 'seconds', 'absent', 'nonsense'),
      'epoch' as ResetForm,
    ),
    remaining: rarely(
      fc.constantFrom<RemainingForm[]>('absent', 'nonsense', 'zero', 'full'),
      'exact' as RemainingForm,
    ),
    hasDate: rarely(fc.constant(false), true),
  })
  // Without `Date`, the length of a wait until a date is not known.
  .map((form) => (form.hasDate ? form : { ...form, retryAfter: 'seconds' as const }));

const foreignUse = fc.array(
  fc.record({ atMs, count: fc.oneof(within(60, 1), within(600, 60)), lane: within(1) }),
  {
    minLength: 1,
    maxLength: 6,
  },
);

const schedule = (foreign: fc.Arbitrary<Schedule['foreign']>): fc.Arbitrary<Schedule> =>
  fc
    .record({
      seed: within(1_000_000),
      store: fc.oneof(
        { arbitrary: fc.constant('memory' as const), weight: 15 },
        { arbitrary: fc.constant('sqlite' as const), weight: 1 },
      ),
      category: fc.constantFrom<LimitCategory[]>(
        'metadata-read',
        'metadata-write',
        'spans-query',
        'genai-deletion',
        'event-deletion',
      ),
      service,
      joinsAtMs: fc.oneof(fc.constant(0), fc.constant(null), within(100_000)),
      minLatencyMs: fc.constantFrom(0, 3, 40, 400),
      jitterMs: fc.constantFrom(0, 5, 150, 1_200),
      bursts: fc.array(burst, { minLength: 1, maxLength: 14 }),
      foreign,
      jumps: upTo(3, { atMs, byMs: within(3 * DAY_MS, -3 * DAY_MS) }),
      kills: upTo(3, { atMs, process: within(1), restartAfterMs: within(20_000) }),
      crashes: rarely(upTo(2, { atMs, process: within(1) }), []),
      sleeps: upTo(2, { atMs, forMs: within(200_000), isRestart: fc.boolean() }),
      faults: fc.oneof(fc.constant(QUIET), fc.record({ failed500: share, unsent: share, lost: share })),
      downs: upTo(1, { fromMs: atMs, lengthMs: within(40_000) }),
      refusedTokens: rarely(upTo(2, { fromMs: atMs, lengthMs: within(20_000) }), []),
      pauses: upTo(2, {
        atMs,
        forMs: within(60_000),
        process: within(1),
        lane: fc.option(within(1), { freq: 2 }),
      }),
      moves: upTo(3, {
        atMs,
        process: within(1),
        group: fc.constantFrom(...GROUPS),
        priority: fc.constantFrom(...CHOSEN_PRIORITIES, null),
      }),
    })
    .map(({ service: form, ...one }) => honest({ ...form, ...one }));

/**
 * Changes a schedule so that the scheduler can be blamed for every violation. If a service with a daily limit states a
 * Remaining that is too high after a reset in the past, the scheduler trusts it, so such a service is made exact.
 * Requests of a process that never starts are moved to the other one.
 */
function honest(one: Schedule): Schedule {
  const isDay = one.category === 'event-deletion' || one.category === 'genai-deletion';
  const bursts = one.joinsAtMs === null ? one.bursts.map((burst) => ({ ...burst, process: 0 })) : one.bursts;
  return { ...one, bursts, remaining: isDay && one.remaining === 'full' ? 'exact' : one.remaining };
}

/**
 * How the events of a schedule are distributed in time: all at once, so that events happen while others wait; over
 * minutes; over days.
 */
const SPREADS = {
  dense: { at: 0.05, length: 0.2, sleep: 1 },
  minutes: { at: 1, length: 1, sleep: 1 },
  days: { at: 2_000, length: 100, sleep: 400 },
} as const;

function spread(one: Schedule, form: keyof typeof SPREADS): Schedule {
  const { at, length, sleep } = SPREADS[form];
  const move = <T extends { atMs: number }>(items: T[]) =>
    items.map((item) => ({ ...item, atMs: item.atMs * at }));
  const span = (items: { fromMs: number; lengthMs: number }[]) =>
    items.map(({ fromMs, lengthMs }) => ({ fromMs: fromMs * at, lengthMs: lengthMs * length }));
  const ofDays = one.seed % 2 === 0 ? 'event-deletion' : 'genai-deletion';
  return honest({
    ...one,
    category: form === 'days' ? ofDays : one.category,
    joinsAtMs: one.joinsAtMs === null ? null : one.joinsAtMs * at,
    bursts: move(one.bursts),
    foreign: move(one.foreign),
    jumps: move(one.jumps),
    kills: move(one.kills),
    crashes: move(one.crashes),
    sleeps: move(one.sleeps).map((each) => ({ ...each, forMs: each.forMs * sleep })),
    pauses: move(one.pauses),
    moves: move(one.moves),
    downs: span(one.downs),
    refusedTokens: span(one.refusedTokens),
  });
}

/** Schedules in which only this program uses the token, or another program too. */
export const schedules = (isShared: boolean): fc.Arbitrary<Schedule> => {
  const one = (form: keyof typeof SPREADS) =>
    schedule(isShared ? foreignUse : fc.constant([])).map((given) => spread(given, form));
  return fc.oneof(
    { arbitrary: one('minutes'), weight: 1 },
    { arbitrary: one('dense'), weight: 2 },
    { arbitrary: one('days'), weight: 1 },
  );
};
