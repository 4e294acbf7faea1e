/** The scheduler of a process, with its budget file, which is needed only for requests. */
import { existsSync } from 'node:fs';
import type { BudgetLedger } from '../core/limits/budget-ledger.ts';
import type { Clock, Logger, Random } from '../core/ports.ts';
import { openBudgetStore } from '../db/budget-store.ts';
import { BUDGET_MIGRATIONS } from '../db/migrations/budget/index.ts';
import { isAtRest } from '../db/open.ts';
import { createScheduler } from '../scheduler/request-scheduler.ts';
import type { RequestScheduler } from '../scheduler/types.ts';
import type { AppError } from '../shared/errors.ts';
import { schedulerWithoutBudget } from './budgets.ts';
import { type Opened, tryOpen } from './unavailable-rooms.ts';
import { whenUsed } from './when-used.ts';

interface SchedulerParts {
  budgetFile: string;
  clock: Clock;
  random: Random;
  logger: Logger;
  /** Whether requests may have been sent with this data folder before. */
  wasUsed: boolean;
  /** The process sends nothing, so an intact budget file is opened only at its first use. */
  isOffline: boolean;
  mostAttempts: () => number;
  onTimeUnconfirmed: (origin: string) => void;
  /** See `SchedulerSettings`. */
  onDown: (origin: string, error: AppError) => void;
  /** Called after changes, at most ten times a second. */
  onChange: () => void;
}

interface OpenScheduler {
  scheduler: RequestScheduler;
  /** The budget, or the reason why its file cannot be used, in which case every request is refused. */
  budget: () => Opened<BudgetLedger>;
  /** Closes the file; call it after the scheduler was stopped. */
  close(): void;
}

export function openScheduler(parts: SchedulerParts): OpenScheduler {
  const { budgetFile: file, clock, random, logger, wasUsed, onTimeUnconfirmed, onDown } = parts;
  const budget = whenUsed(() => tryOpen(() => openBudgetStore({ file, clock, logger, wasUsed })));
  const nothing = () => undefined;
  const quiet = {
    resume: nothing,
    carryChoices: nothing,
    allowAttempts: nothing,
    stop: () => Promise.resolve(),
  };
  const lazy = whenUsed<RequestScheduler>(
    () => {
      const { value, error } = budget.use();
      return error === null
        ? createScheduler({ clock, random, budget: value, logger, settings: { onTimeUnconfirmed, onDown } })
        : schedulerWithoutBudget(error, clock, logger);
    },
    quiet,
    (scheduler) => {
      scheduler.allowAttempts(parts.mostAttempts());
      scheduler.onChange(parts.onChange);
    },
  );
  // A missing file is created at once, because if it is missing later, it would be taken for a lost one.
  const waits = parts.isOffline && existsSync(file) && isAtRest(file, BUDGET_MIGRATIONS);
  return {
    scheduler: waits ? lazy.part : lazy.use(),
    budget: budget.use,
    close: () => budget.end()?.value?.close(),
  };
}
