/** Opens a hit of the search. */

import { entityTypeOf } from '../../../electron/shared/catalog-entity.ts';
import type { SearchHit, SearchKind } from '../../../electron/shared/search-contract.ts';
import { parseTime } from '../../../electron/shared/zone-time.ts';
import { rangeBefore } from '../../lib/span-range.ts';
import { app } from '../../state/app.svelte.ts';
import { clock } from '../../state/clock.svelte.ts';
import { openDataset, openDatasetItem } from '../parts/dataset-routes.ts';
import { setParams } from '../parts/params.ts';
import { openUploads } from '../parts/upload-routes.ts';
import { openCatalog } from '../resources/kinds/organizing.ts';
import { openRecord } from '../resources/open.ts';
import { openScope } from '../spans/routes.ts';

type Target = SearchHit['target'];

const HOUR = 3_600_000;

const OPEN: Readonly<Record<SearchKind, (target: Target, title: string) => void>> = {
  names: (target, title) => {
    const named = { entity_type: target['entityType'], semantic_name: target['semanticName'] };
    openValues({ ...target, entityType: entityTypeOf(named, '') }, title, {});
  },
  values: (target) => openValues(target, target['name'] ?? '', { search: target['value'] ?? '' }),
  attributes: ({ applicationId }, title) => {
    askAttributes(title, applicationId);
  },
  items: ({ datasetId: id = '', datasetName: name = 'Dataset', itemId }) => {
    if (itemId === undefined) openDataset({ id, name });
    else openDatasetItem({ id, name }, itemId);
  },
  results: ({ experimentId = '', experimentName = 'Experiment', itemId = '' }) => {
    openRecord('experiments', experimentId, experimentName);
    const tab = app.tabs.active;
    if (tab?.kind === 'resource') setParams(tab, { part: 'results', item: itemId });
  },
  spans: ({ traceId = '', spanId, applicationId = '', applicationName = 'Application', startTime }) => {
    const atMs = parseTime(startTime) ?? clock.nowMs;
    const range = rangeBefore(Math.min(clock.nowMs, atMs + HOUR));
    openScope({ kind: 'trace', id: traceId }, { id: applicationId, name: applicationName }, range, spanId);
  },
  uploads: ({ job, file }, title) => {
    if (job !== undefined) app.tabs.open('upload', title, { job });
    else if (file !== undefined) openUploads();
  },
  resources: ({ resource = '', id = '' }, title) => {
    if (resource === 'applications') openCatalog({ id, name: title });
    else openRecord(resource, id, title);
  },
};

function openValues(
  { applicationId = '', applicationName = '', entityType = 'attribute' }: Target,
  name: string,
  more: Record<string, string>,
): void {
  app.tabs.open('values', name, { applicationId, applicationName, entityType, name, ...more });
}

/** Opens a hit, in the tab that already shows it, if any. */
export function openHit({ kind, target, title }: SearchHit): void {
  OPEN[kind](target, title);
}

/** Asks the service for names of an application that contain a text. */
export function askCatalog(application: { id: string; name: string }, search: string): void {
  openCatalog(application);
  const tab = app.tabs.active;
  if (tab !== null) app.tabs.update(tab.id, { params: { ...tab.params, search } });
}

/** Asks the service for attributes; only those of one application, if it is given. */
export function askAttributes(search: string, applicationId?: string): void {
  const tab = app.tabs.open('attributes', 'Attributes');
  const application = applicationId === undefined ? {} : { application_id: applicationId };
  app.tabs.update(tab.id, { params: { search, ...application } });
}

/** Opens the search view with a text. If a kind is given, only records of this kind are searched. */
export function openSearch(typed: string, kind?: SearchHit['kind']): void {
  const tab = app.tabs.open('search', 'Search');
  app.tabs.update(tab.id, { params: { typed, ...(kind === undefined ? {} : { kind }) } });
}
