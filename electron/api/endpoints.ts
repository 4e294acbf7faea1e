/**
 * Every operation as data. The typed client, the routes of the sample service, the rate lanes, the command line, the
 * documentation table and the tests are derived from this table. Paths are written nowhere else.
 */
import type * as z from '../shared/zod.ts';
import { accessEndpoints } from './endpoints/access.ts';
import { alertEndpoints } from './endpoints/alerts.ts';
import { applicationEndpoints } from './endpoints/applications.ts';
import { datasetEndpoints } from './endpoints/datasets.ts';
import { evaluatorRuleEndpoints } from './endpoints/evaluator-rules.ts';
import { evaluatorEndpoints } from './endpoints/evaluators.ts';
import { eventEndpoints } from './endpoints/events.ts';
import { experimentEndpoints } from './endpoints/experiments.ts';
import { fileEndpoints } from './endpoints/files.ts';
import { genaiAlertRuleEndpoints } from './endpoints/genai-alert-rules.ts';
import { metadataEndpoints } from './endpoints/metadata.ts';
import { monitoringEndpoints } from './endpoints/monitoring.ts';
import type { Endpoint } from './endpoints/row.ts';
import { segmentEndpoints } from './endpoints/segments.ts';
import { spanEndpoints } from './endpoints/spans.ts';

export * from './endpoints/access.ts';
export * from './endpoints/alerts.ts';
export * from './endpoints/applications.ts';
export * from './endpoints/datasets.ts';
export * from './endpoints/evaluator-rules.ts';
export * from './endpoints/evaluators.ts';
export * from './endpoints/events.ts';
export * from './endpoints/experiments.ts';
export * from './endpoints/files.ts';
export * from './endpoints/genai-alert-rules.ts';
export * from './endpoints/metadata.ts';
export * from './endpoints/monitoring.ts';
export type { Endpoint, Method } from './endpoints/row.ts';
export * from './endpoints/segments.ts';
export * from './endpoints/spans.ts';

export const ENDPOINTS = {
  ...metadataEndpoints,
  ...applicationEndpoints,
  ...datasetEndpoints,
  ...experimentEndpoints,
  ...spanEndpoints,
  ...evaluatorEndpoints,
  ...evaluatorRuleEndpoints,
  ...eventEndpoints,
  ...fileEndpoints,
  ...monitoringEndpoints,
  ...segmentEndpoints,
  ...alertEndpoints,
  ...genaiAlertRuleEndpoints,
  ...accessEndpoints,
} satisfies Record<string, Endpoint>;

export type OperationId = keyof typeof ENDPOINTS;
/** One item of a list operation or of an array; for other operations, the record. */
export type ItemOf<O extends OperationId> = z.infer<(typeof ENDPOINTS)[O]['item']>;
/** The result of a call: all items of an array, otherwise the record. */
export type ValueOf<O extends OperationId> = (typeof ENDPOINTS)[O] extends { answer: 'array' }
  ? ItemOf<O>[]
  : ItemOf<O>;

export const OPERATION_IDS = Object.keys(ENDPOINTS) as OperationId[];

export function isOperationId(text: string): text is OperationId {
  return Object.hasOwn(ENDPOINTS, text);
}

/** The row of an operation, as the common type of all rows. */
export function endpoint(operation: OperationId): Endpoint {
  return ENDPOINTS[operation];
}
