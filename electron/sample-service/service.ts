/** The service as one object: its stores, its clock and what its handlers share. */
import type { Clock, Random } from '../core/ports.ts';
import { applyEffect } from './job-effects.ts';
import { JobRunner } from './job-runner.ts';
import type { ServiceSettings } from './settings.ts';
import type { Sqlite } from './store.ts';
import { type CatalogStore, createCatalogStore } from './store-catalog.ts';
import { createDatasetItemStore, type DatasetItemStore } from './store-datasets.ts';
import { createEventStore, type EventStore } from './store-events.ts';
import { createFileStore, type FileStore } from './store-files.ts';
import { createJobStore } from './store-jobs.ts';
import { createResourceStore, type ResourceStore } from './store-resources.ts';
import { createSpanStore, type SpanStore } from './store-spans.ts';

export interface Stores {
  resources: ResourceStore;
  catalog: CatalogStore;
  items: DatasetItemStore;
  spans: SpanStore;
  events: EventStore;
  files: FileStore;
}

export interface Service {
  stores: Stores;
  jobs: JobRunner;
  clock: Clock;
  random: Random;
  settings: ServiceSettings;
}

export function createStores(db: Sqlite): Stores {
  return {
    resources: createResourceStore(db),
    catalog: createCatalogStore(db),
    items: createDatasetItemStore(db),
    spans: createSpanStore(db),
    events: createEventStore(db),
    files: createFileStore(db),
  };
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
  return { stores, jobs, ...parts };
}
