import { catalogHandlers } from './catalog.ts';
import { datasetHandlers } from './datasets.ts';
import { eventHandlers } from './events.ts';
import type { Handlers } from './handler.ts';
import { jobHandlers } from './jobs.ts';
import { metadataHandlers } from './metadata.ts';
import { modelHandlers } from './models.ts';
import { projectHandlers } from './projects.ts';

/** A handler for every row of the endpoint table. */
export const HANDLERS: Handlers = {
  ...metadataHandlers,
  ...projectHandlers,
  ...catalogHandlers,
  ...modelHandlers,
  ...jobHandlers,
  ...datasetHandlers,
  ...eventHandlers,
};
