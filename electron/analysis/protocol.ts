/** What the main process and the analysis process say to each other: one request after the other. */
import { z } from 'zod';

/** Each operation: what it is given. Paths are chosen by the main process, never by a page. */
export const analysisRequest = z.discriminatedUnion('operation', [
  z.strictObject({
    id: z.int(),
    /** Writes the rows of a Parquet file as JSON lines, in the order of the file. */
    operation: z.literal('parquet-to-json-lines'),
    source: z.string(),
    target: z.string(),
    /** An empty folder of this request's own, for what does not fit into memory. */
    spillFolder: z.string(),
  }),
]);
export type AnalysisRequest = z.infer<typeof analysisRequest>;

export const analysisReply = z.discriminatedUnion('kind', [
  z.strictObject({ id: z.int(), kind: z.literal('done') }),
  /** The engine's own words. */
  z.strictObject({ id: z.int(), kind: z.literal('failed'), message: z.string() }),
]);
export type AnalysisReply = z.infer<typeof analysisReply>;
