/** The service as one object: its stores, its clock and everything else that handlers share. */

import type { Clock, Random } from '../core/ports.ts';
import { applyEffect } from './job-effects.ts';
import { JobRunner } from './job-runner.ts';
import type { ServiceSettings } from './settings.ts';
import type { Sqlite } from './store.ts';
import { createJobStore } from './store-jobs.ts';
import type { Stores } from './stores.ts';
import { TokenKeys } from './token-keys.ts';

export interface Service {
  stores: Stores;
  jobs: JobRunner;
  /** The access keys that belong to the tokens in use. */
  keys: TokenKeys;
  clock: Clock;
  random: Random;
  settings: ServiceSettings;
}

export function createService(
  db: Sqlite,
  stores: Stores,
  parts: { clock: Clock; random: Random; settings: ServiceSettings },
): Service {
  const jobs = new JobRunner(createJobStore(db), {
    ...parts,
    inTransaction: (work) => db.transaction(work)(),
    apply: (effect) => applyEffect(stores, effect, () => parts.random.uuid()),
  });
  return { stores, jobs, keys: new TokenKeys(parts.clock, parts.settings), ...parts };
}
