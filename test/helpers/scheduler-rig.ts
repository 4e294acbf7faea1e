/** A scheduler in virtual time with a scripted service, for tests of single behaviours. */
import type { Attempt, RateHeaders } from '../../electron/core/limits/attempt.ts';
import type { BudgetLedger } from '../../electron/core/limits/budget-ledger.ts';
import type { LimitCategory } from '../../electron/core/limits/limits.ts';
import { createScheduler } from '../../electron/scheduler/request-scheduler.ts';
import type { Lane, SchedulerSettings, Submission } from '../../electron/scheduler/types.ts';
import { AppError, type ErrorCode } from '../../electron/shared/errors.ts';
import { MemoryBudget } from './memory-budget.ts';
import { httpDate } from './service-model.ts';
import { START_MS, seededRandom, silentLogger, VirtualWorld } from './virtual-world.ts';

export const ORIGIN = 'http://127.0.0.1';

export const lane = (
  category: LimitCategory = 'metadata-read',
  operation = 'GET /v3/applications',
): Lane => ({
  origin: ORIGIN,
  tokenId: 'token',
  operation,
  category,
});

const NO_HEADERS: RateHeaders = { limit: null, remaining: null, reset: null, retryAfter: null, date: null };

export const answered = (status: number, rate: Partial<RateHeaders> = {}): Attempt<string> => ({
  kind: 'answered',
  status,
  rate: { ...NO_HEADERS, ...rate },
  value: `status ${status}`,
});

export const failed = (
  outcome: 'unsent' | 'unknown',
  code: ErrorCode = 'CONNECTION_LOST',
): Attempt<string> => ({
  kind: 'failed',
  outcome,
  error: new AppError(code, 'Expected an answer, got none in a test.'),
});

export interface Sending {
  atMs: number;
  name: string;
  attempt: number;
}

/** A ledger in which some functions are replaced. */
export const overridden = (ledger: BudgetLedger, others: Partial<BudgetLedger>): BudgetLedger =>
  new Proxy(ledger, {
    get(target, name) {
      const value: unknown = Reflect.get(others, name) ?? Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

/** `respond`: decides the outcome of each request after `latencyMs`. `wrap`: changes the ledger. */
export function schedulerRig(
  respond: (sending: Sending) => Attempt<string> = () => answered(200),
  options: {
    latencyMs?: number;
    settings?: Partial<SchedulerSettings>;
    seed?: number;
    wrap?: (ledger: BudgetLedger) => BudgetLedger;
  } = {},
) {
  const world = new VirtualWorld();
  const budget = new MemoryBudget(() => START_MS + world.monotonicMs);
  const ledger = budget.open();
  const clock = world.process();
  const latencyMs = options.latencyMs ?? 50;
  const scheduler = createScheduler({
    clock,
    random: seededRandom(options.seed ?? 1),
    budget: options.wrap?.(ledger) ?? ledger,
    logger: silentLogger,
    settings: { maxInFlight: 100, ...options.settings },
  });
  const sent: Sending[] = [];
  const submit = (name: string, submission: Partial<Submission<string>> = {}) =>
    scheduler.submit<string>({
      lane: lane(),
      priority: 'view',
      isRepeatSafe: true,
      attempt: ({ attempt, signal }) => {
        const sending = { atMs: Math.round(world.trueMs), name, attempt };
        sent.push(sending);
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(failed('unknown', 'CANCELLED')));
          world.after(latencyMs, () => resolve(respond(sending)));
        });
      },
      ...submission,
    });
  /** The result of a promise as text: `status 200`, or the code of an error. */
  const outcome = (promise: Promise<{ value: string }>) =>
    promise.then(
      ({ value }) => value,
      (error: AppError) => error.code,
    );
  return { world, scheduler, budget, sent, submit, outcome, names: () => sent.map(({ name }) => name) };
}

/** The `Date` of a service whose clock shows true time, or is ahead by `aheadMs`. */
export const dateAt = (world: VirtualWorld, aheadMs = 0) =>
  httpDate(START_MS + world.trueMs + aheadMs, 'imf');
