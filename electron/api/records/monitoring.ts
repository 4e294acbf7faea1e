/** Baselines, custom metrics, metric lists and metric queries (SERVICE.md F7 and F8). */
import * as z from '../../shared/zod.ts';
import { optionalNumber, optionalText, person, reference, stamps, text } from './parts.ts';

/** SERVICE.md F7.1; times are epoch milliseconds. */
export const baseline = z.looseObject({
  id: text,
  name: text,
  type: optionalText,
  row_count: optionalNumber,
  start_time: z.union([z.number(), z.string()]).nullish(),
  end_time: z.union([z.number(), z.string()]).nullish(),
  offset_delta: optionalNumber,
  window_bin_size: optionalText,
  model: reference,
  project: reference,
  environment: reference,
  ...stamps,
});
export type Baseline = z.infer<typeof baseline>;

/** Defined by an expression over the columns of a model. */
const definedFields = {
  id: text,
  name: text,
  description: optionalText,
  definition: optionalText,
  model: reference,
  project: reference,
  created_by: person,
  updated_by: person,
  ...stamps,
};

/** SERVICE.md F7.3 */
export const customMetric = z.looseObject(definedFields);

/** SERVICE.md F11 */
export const segment = z.looseObject(definedFields);

/** SERVICE.md F7.5 */
export const modelMetrics = z.looseObject({
  model: reference,
  metrics: z
    .array(
      z.looseObject({
        id: text,
        name: optionalText,
        type: optionalText,
        columns: z.array(z.string()).nullish(),
        requires_baseline: z.boolean().nullish(),
        requires_categories: z.boolean().nullish(),
      }),
    )
    .nullish(),
  columns: z
    .array(z.looseObject({ id: optionalText, name: text, group: optionalText, data_type: optionalText }))
    .nullish(),
  metric_types: z.array(z.looseObject({ key: text, name: optionalText })).nullish(),
});

/** MetricsMetadata of an application, whose fields are not published. The sample service sends `metrics`. */
export const metricsMetadata = z.looseObject({
  metrics: z.array(z.looseObject({ id: optionalText, name: optionalText, type: optionalText })).nullish(),
});

/** SERVICE.md F8.2. The first cell of each row is the time; the others follow the order of `col_names`. */
export const querySeries = z.looseObject({
  query_key: optionalText,
  metric: z.unknown().optional(),
  viz_type: optionalText,
  columns: z.array(z.string()).nullish(),
  col_names: z.array(z.string()).nullish(),
  data: z.array(z.array(z.unknown())).nullish(),
});

export const queryResult = z.looseObject({
  query_type: optionalText,
  time_comparison: optionalText,
  filters: z.unknown().optional(),
  results: z.record(z.string(), querySeries).nullish(),
});
