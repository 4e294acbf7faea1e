/** Raw files sent unparsed, as jobs. */
import { type JobRecord, recordFields, wallMs } from '../core/jobs/job-record.ts';
import { WHOLE_FILE_STATES, type WholeFileState } from '../shared/whole-file-contract.ts';
import * as z from '../shared/zod.ts';
import { createJobStore, type JobStore } from './job-store.ts';
import type { Database } from './open.ts';

export interface StoredWholeFile extends JobRecord {
  path: string;
  name: string;
  sizeBytes: number;
  mtimeMs: number;
  /** Size of the pieces in which the file is sent. */
  partBytes: number;
  partsSent: number;
  modelId: string | null;
  envType: string;
  envName: string | null;
  publishes: boolean;
  state: WholeFileState;
  /** The service's record of the file, once the upload is complete. */
  file: Record<string, unknown> | null;
  /** The service's job that reads the file. */
  jobId: string | null;
  jobStatus: string | null;
  progress: number | null;
}

export function createWholeFileStore(db: Database): JobStore<StoredWholeFile> {
  return createJobStore(db, {
    kind: 'file',
    what: 'file sent as is',
    schema: z.object({
      ...recordFields,
      state: z.enum(WHOLE_FILE_STATES),
      path: z.string(),
      name: z.string(),
      sizeBytes: z.number(),
      mtimeMs: wallMs,
      partBytes: z.number(),
      partsSent: z.number(),
      modelId: z.string().nullable(),
      envType: z.string(),
      envName: z.string().nullable(),
      publishes: z.boolean(),
      file: z.record(z.string(), z.unknown()).nullable(),
      jobId: z.string().nullable(),
      jobStatus: z.string().nullable(),
      progress: z.number().nullable(),
    }),
    plan: [
      ...(['path', 'name', 'sizeBytes', 'mtimeMs', 'partBytes', 'modelId'] as const),
      ...(['envType', 'envName', 'publishes'] as const),
    ],
    title: ({ name }) => name,
  });
}
