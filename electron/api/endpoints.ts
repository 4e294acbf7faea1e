/**
 * Every operation as data. The typed client, the sample service's routes, the rate lanes, the command line,
 * the documentation table and the tests are derived from this table; nothing else names a path.
 */
import { z } from 'zod';
import type { LimitCategory } from '../core/limits.ts';
import * as records from './records.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

export interface Endpoint {
  method: Method;
  /** Path template below the base URL; `{name}` marks a path parameter. */
  path: `/v3/${string}`;
  title: string;
  help: string;
  /** Section of INTERFACE.md, or the section of API_FACTS.md that describes it. */
  section: string;
  /** `limit-offset`: query parameters of INTERFACE 4 rule 3; `page-size-body`: API_FACTS 2.1. */
  paging: 'none' | 'limit-offset' | 'page-size-body';
  /** Query parameters besides the paging ones. Lists are sent comma-separated. */
  query: Readonly<Record<string, 'text' | 'list' | 'number' | 'filter'>>;
  requiredQuery: readonly string[];
  /** Schema of the JSON body, or null where the operation takes none. */
  body: z.ZodType | null;
  /** What `data` holds: a PAGINATED page of `item`, a NORMAL record, a bare JSON array, or no body at all. */
  answer: 'paginated' | 'record' | 'array' | 'empty';
  /** Schema of one item (paginated, array) or of the record. */
  item: z.ZodType;
  /** Field of an item that identifies it within its list. */
  identity: string | null;
  successStatus: number;
  errors: readonly number[];
  limit: LimitCategory;
  /** True where sending the same request twice leaves the service as once does. */
  isRepeatSafe: boolean;
}

const listQuery = { filter: 'filter', search: 'text', ordering: 'text' } as const;

const defaults = {
  paging: 'none',
  query: {},
  requiredQuery: [],
  body: null,
  answer: 'record',
  identity: 'id',
  successStatus: 200,
  limit: 'metadata-read',
  isRepeatSafe: true,
} as const;

function list<I extends z.ZodType>(
  row: Pick<Endpoint, 'path' | 'title' | 'help' | 'section' | 'errors'> & Partial<Endpoint> & { item: I },
): Endpoint & { item: I } {
  return {
    ...defaults,
    method: 'GET',
    paging: 'limit-offset',
    query: listQuery,
    answer: 'paginated',
    ...row,
  };
}

function read<I extends z.ZodType>(
  row: Pick<Endpoint, 'path' | 'title' | 'help' | 'section' | 'errors'> & Partial<Endpoint> & { item: I },
): Endpoint & { item: I } {
  return { ...defaults, method: 'GET', ...row };
}

const timeBound = z.union([z.string(), z.number()]);

/** INTERFACE 4.10. The API description caps an event list at 1,000; that is a default of the client, not a rule here. */
export const publishBody = z.strictObject({
  model_id: z.uuid(),
  env_type: z.string().min(1),
  env_name: z.string().nullish(),
  source: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('EVENTS'), events: z.array(z.record(z.string(), z.unknown())).min(1) }),
    z.strictObject({ type: z.literal('FILE'), file_id: z.uuid() }),
  ]),
});
export type PublishBody = z.infer<typeof publishBody>;

export const deleteEventsBody = z.strictObject({
  model_id: z.uuid(),
  event_ids: z.array(z.string()).nullish(),
  time_range: z.strictObject({ start_time: timeBound, end_time: timeBound }).nullish(),
  update_metrics: z.boolean().optional(),
});
export type DeleteEventsBody = z.infer<typeof deleteEventsBody>;

export const ENDPOINTS = {
  'server-info.get': read({
    path: '/v3/server-info',
    title: 'Server information',
    help: 'Version and organization of the service; the cheapest connection test.',
    section: 'API_FACTS 7.7',
    errors: [401, 500],
    item: records.serverInfo,
    identity: null,
  }),
  'projects.list': list({
    path: '/v3/projects',
    title: 'Projects',
    help: 'Projects the token may see.',
    section: 'API_FACTS 7.4',
    errors: [400, 401, 403, 429, 500],
    item: records.openRecord,
  }),
  'applications.list': list({
    path: '/v3/applications',
    title: 'Applications',
    help: 'GenAI applications the token may see.',
    section: '4.2',
    errors: [400, 429, 500],
    item: records.application,
  }),
  'applications.get': read({
    path: '/v3/applications/{application_id}',
    title: 'Application',
    help: 'One application.',
    section: '4.2',
    errors: [400, 404, 429, 500],
    item: records.application,
  }),
  'attributes.list': list({
    path: '/v3/attributes',
    title: 'Attributes',
    help: 'Attribute records; filter by application_id, data_type and scope.',
    section: '4.3',
    errors: [400, 500],
    item: records.openRecord,
  }),
  'catalog.list': list({
    path: '/v3/applications/{application_id}/catalog',
    title: 'Catalog',
    help: 'Entity names observed for an application.',
    section: '4.5',
    errors: [400, 500],
    query: { entity_type: 'text', data_type: 'list', semantic_name: 'list', search: 'text' },
    item: records.catalogItem,
    identity: 'name',
  }),
  'catalog.values': list({
    path: '/v3/applications/{application_id}/catalog/values',
    title: 'Catalog values',
    help: 'Distinct values of one entity.',
    section: '4.5',
    errors: [400, 500],
    query: { entity_type: 'text', name: 'text', search: 'text' },
    requiredQuery: ['entity_type', 'name'],
    item: records.catalogValueItem,
    identity: 'value',
  }),
  'environments.list': list({
    path: '/v3/environments',
    title: 'Environments',
    help: 'Environments of the projects the token may access.',
    section: '4.8',
    errors: [400, 401, 403, 500],
    query: { type: 'text', ...listQuery },
    item: records.environment,
  }),
  'models.environments': list({
    path: '/v3/models/{model_id}/environments',
    title: 'Environments of a model',
    help: 'Environments events can be published to.',
    section: '4.8',
    errors: [400, 401, 403, 404, 500],
    query: { type: 'text', ...listQuery },
    item: records.environment,
  }),
  'models.list': list({
    path: '/v3/models',
    title: 'Models',
    help: 'Models events belong to.',
    section: 'API_FACTS 7.5',
    errors: [400, 401, 403, 500],
    item: records.model,
  }),
  'models.get': read({
    path: '/v3/models/{model_id}',
    title: 'Model',
    help: 'One model with the schema its events follow.',
    section: 'API_FACTS 7.5',
    errors: [400, 401, 403, 404, 500],
    item: records.model,
  }),
  'jobs.get': read({
    path: '/v3/jobs/{job_id}',
    title: 'Job',
    help: 'State of an asynchronous job.',
    section: 'API_FACTS 7.6',
    errors: [401, 403, 404, 500],
    item: records.job,
  }),
  'datasets.list': list({
    path: '/v3/evals/datasets',
    title: 'Datasets',
    help: 'Evaluation datasets.',
    section: '4.9',
    errors: [400, 500],
    item: records.evalDataset,
  }),
  'datasets.get': read({
    path: '/v3/evals/datasets/{dataset_id}',
    title: 'Dataset',
    help: 'One evaluation dataset.',
    section: '4.9',
    errors: [404, 500],
    item: records.evalDataset,
  }),
  'datasets.items': list({
    path: '/v3/evals/datasets/{dataset_id}/items',
    title: 'Dataset items',
    help: 'Items of a dataset with their four buckets.',
    section: '4.9',
    errors: [400, 401, 403, 404, 500],
    query: { ordering: 'text' },
    item: records.datasetItem,
  }),
  'datasets.schema': read({
    path: '/v3/evals/datasets/{dataset_id}/schema',
    title: 'Dataset schema',
    help: 'Keys of each bucket, how many items hold them, and their types.',
    section: '4.9',
    errors: [401, 403, 404, 500],
    item: records.datasetSchema,
    identity: null,
  }),
  'events.publish': {
    ...defaults,
    method: 'POST',
    path: '/v3/events',
    title: 'Publish events',
    help: 'Stores events of a model. Sending the same events twice stores them twice.',
    section: '4.10',
    errors: [400, 401, 403, 404, 500],
    body: publishBody,
    item: records.eventPublishResult,
    identity: null,
    limit: 'unlisted',
    isRepeatSafe: false,
  },
  'events.update': {
    ...defaults,
    method: 'PATCH',
    path: '/v3/events',
    title: 'Update events',
    help: 'Changes target and metadata columns of events named by their id.',
    section: '4.10',
    errors: [400, 401, 403, 404, 500],
    body: publishBody,
    item: records.eventPublishResult,
    identity: null,
    limit: 'unlisted',
    isRepeatSafe: true,
  },
  'events.delete': {
    ...defaults,
    method: 'DELETE',
    path: '/v3/events',
    title: 'Delete events',
    help: 'Deletes events by id or by time. 30 requests a day.',
    section: '4.10',
    errors: [400, 401, 403, 404, 429, 500],
    successStatus: 202,
    body: deleteEventsBody,
    item: records.jobReference,
    identity: null,
    limit: 'event-deletion',
    isRepeatSafe: false,
  },
} satisfies Record<string, Endpoint>;

export type OperationId = keyof typeof ENDPOINTS;
/** One item of a list operation, or the record of any other. */
export type ItemOf<O extends OperationId> = z.infer<(typeof ENDPOINTS)[O]['item']>;

export const OPERATION_IDS = Object.keys(ENDPOINTS) as OperationId[];

export function isOperationId(text: string): text is OperationId {
  return Object.hasOwn(ENDPOINTS, text);
}

/** The row of an operation, widened to what every row has. */
export function endpoint(operation: OperationId): Endpoint {
  return ENDPOINTS[operation];
}
