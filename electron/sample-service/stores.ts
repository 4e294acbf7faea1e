/** All stores of the service, and operations on several of them. */

import type { Sqlite } from './store.ts';
import { type CatalogStore, createCatalogStore } from './store-catalog.ts';
import { createDatasetItemStore, type DatasetItemStore } from './store-datasets.ts';
import { createEventStore, type EventStore } from './store-events.ts';
import { createExperimentStore, type ExperimentStore } from './store-experiments.ts';
import { createFileStore, type FileStore } from './store-files.ts';
import { createResourceStore, type ResourceStore } from './store-resources.ts';
import { createSpanStore, type SpanStore } from './store-spans.ts';

export interface Stores {
  resources: ResourceStore;
  catalog: CatalogStore;
  items: DatasetItemStore;
  experiments: ExperimentStore;
  spans: SpanStore;
  events: EventStore;
  files: FileStore;
}

export function createStores(db: Sqlite): Stores {
  return {
    resources: createResourceStore(db),
    catalog: createCatalogStore(db),
    items: createDatasetItemStore(db),
    experiments: createExperimentStore(db),
    spans: createSpanStore(db),
    events: createEventStore(db),
    files: createFileStore(db),
  };
}

/** Removes a dataset and its items. */
export function removeDataset(stores: Stores, id: string): void {
  stores.items.removeDataset(id);
  stores.resources.remove('dataset', id);
}

/** Removes an experiment and its results. */
export function removeExperiment(stores: Stores, id: string): void {
  stores.experiments.remove(id);
  stores.resources.remove('experiment', id);
}
