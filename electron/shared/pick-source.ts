/** Sources from which spans are picked all at once, shared by both processes. */
import { jsonObject } from './json-body.ts';
import { chosenRows } from './model.ts';
import { spanFile } from './span-file.ts';
import * as z from './zod.ts';

/** Selection of spans: the body of spans.query and spans.fields without paging. */
export const spanSelection = z.strictObject({
  application_id: z.uuid(),
  /** Inclusive. */
  start_time: z.string().min(1).max(100),
  /** Exclusive. */
  end_time: z.string().min(1).max(100),
  filter: jsonObject.nullish(),
  ordering: z.string().max(200).nullish(),
});
export type SpanSelection = z.infer<typeof spanSelection>;

const pickedRows = z.strictObject(chosenRows);
export type PickedRows = z.infer<typeof pickedRows>;

export const pickSource = z.discriminatedUnion('kind', [
  /** Every span that the service returns for a query, read page by page through the scheduler. */
  z.strictObject({ kind: z.literal('service'), selection: spanSelection }),
  /** Rows of a stored list of spans, read without a request. */
  z.strictObject({ kind: z.literal('stored'), rows: pickedRows }),
  /** Rows of a file, whose contents are stored here. They may include spans that the service does not have. */
  z.strictObject({
    kind: z.literal('file'),
    ...spanFile.shape,
    name: z.string().max(1_000),
    /** Number of rows found so far; null: unknown. */
    rows: z.int().min(0).nullable(),
  }),
  /** The spans of another basket of the same application, except excluded ones. */
  z.strictObject({ kind: z.literal('basket'), buildId: z.string().max(100), name: z.string().max(200) }),
]);
export type PickSource = z.infer<typeof pickSource>;
