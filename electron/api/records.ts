/**
 * Schemas of the records in SERVICE.md S2. Named fields are typed. All other fields are kept unchanged (loose objects),
 * because the interface describes many records only by name.
 */
import * as z from '../shared/zod.ts';
import { optionalText, reference, text } from './records/parts.ts';

export * from './records/access.ts';
export * from './records/alerts.ts';
export * from './records/experiments.ts';
export * from './records/files.ts';
export * from './records/monitoring.ts';
export * from './records/rules.ts';
export * from './records/spans.ts';

/**
 * A record whose fields are "not shown" in the interface: an identity if it has one, and all other fields unchanged.
 */
export const openRecord = z.looseObject({ id: z.string().nullish(), name: z.string().nullish() });

/** SERVICE.md S2.4 */
export const catalogItem = z.looseObject({
  name: text,
  semantic_name: optionalText,
  data_type: optionalText,
  first_seen: optionalText,
  last_seen: optionalText,
  row_count: z.number().nullish(),
});

/** SERVICE.md S2.5. A value of another JSON type is kept and shown unchanged. */
export const catalogValueItem = z.looseObject({
  value: z.union([z.string(), z.number(), z.boolean(), z.null()]),
  first_seen: optionalText,
  last_seen: optionalText,
  row_count: z.number().nullish(),
});

/** SERVICE.md F7.4 */
export const project = z.looseObject({
  id: text,
  name: text,
  asset_type: optionalText,
  organization: reference,
  created_at: optionalText,
  updated_at: optionalText,
});
export type Project = z.infer<typeof project>;

export const application = z.looseObject({
  id: text,
  name: text,
  project: reference,
  organization: reference,
  created_at: optionalText,
  updated_at: optionalText,
});
export type Application = z.infer<typeof application>;

export const evalDataset = z.looseObject({
  id: text,
  name: text,
  description: optionalText,
  metadata: z.record(z.string(), z.unknown()).nullish(),
  active: z.boolean().nullish(),
  created_at: optionalText,
  updated_at: optionalText,
  application: reference,
  project: reference,
});

const bucket = z.record(z.string(), z.unknown()).nullish();
export const datasetItem = z.looseObject({
  id: text,
  inputs: bucket,
  expected_outputs: bucket,
  metadata: bucket,
  extras: bucket,
  source_name: optionalText,
  source_id: optionalText,
  created_at: optionalText,
  updated_at: optionalText,
});

/** SERVICE.md S2.6 */
const schemaField = z.looseObject({ count: z.number().nullish(), data_type: optionalText });
const schemaBucket = z.record(z.string(), schemaField);
export const datasetSchema = z.looseObject({
  total_items: z.number(),
  sampled: z.boolean().nullish(),
  inputs: schemaBucket.nullish(),
  expected_outputs: schemaBucket.nullish(),
  metadata: schemaBucket.nullish(),
  extras: schemaBucket.nullish(),
});
export type DatasetSchema = z.infer<typeof datasetSchema>;

export const environment = z.looseObject({
  id: text,
  name: text,
  type: optionalText,
  row_count: z.number().nullish(),
});
export type Environment = z.infer<typeof environment>;

/** SERVICE.md F7.5: columns of a model's schema. */
export const modelColumn = z.looseObject({
  name: text,
  data_type: optionalText,
  min: z.number().nullish(),
  max: z.number().nullish(),
  categories: z.array(z.unknown()).nullish(),
  n_dimensions: z.number().nullish(),
});
export type ModelColumn = z.infer<typeof modelColumn>;

export const model = z.looseObject({
  id: text,
  name: text,
  version: optionalText,
  project: reference,
  task: optionalText,
  schema: z.looseObject({ columns: z.array(modelColumn).nullish() }).nullish(),
  event_id_col: optionalText,
  event_ts_col: optionalText,
  event_ts_format: optionalText,
});
export type Model = z.infer<typeof model>;

/** SERVICE.md F7.6 */
export const job = z.looseObject({
  id: text,
  name: optionalText,
  status: optionalText,
  progress: z.number().nullish(),
  error_message: optionalText,
});
export type Job = z.infer<typeof job>;

/** SERVICE.md F7.7 */
export const serverInfo = z.looseObject({
  server_version: optionalText,
  organization: reference,
  feature_flags: z.record(z.string(), z.unknown()).nullish(),
});

/**
 * A thousand ids are checked in one step, because a schema for each of them takes longer than everything else in an
 * answer.
 */
const idList = z.custom<(string | number)[]>(
  (value) =>
    Array.isArray(value) && value.every((each) => typeof each === 'string' || typeof each === 'number'),
  'expected a list of ids (texts or numbers)',
);

/** SERVICE.md S2.7. Identifiers need not be uuids, and the FILE source answers with a job (SERVICE.md F12). */
export const eventPublishResult = z.looseObject({
  source_type: optionalText,
  event_ids: idList.nullish(),
  job: job.nullish(),
});

/** SERVICE.md S2.8 */
export const jobReference = z.looseObject({ job });

/** ApplicationDeletionJob, whose fields are not published. The job may be a field, or the record itself. */
export const applicationDeletionJob = z.looseObject({
  job: job.nullish(),
  id: optionalText,
  name: optionalText,
});
