/** Raw files (SERVICE.md F1.1 to F1.4), shared by both processes. */
import type { WireError } from './errors.ts';
import type { LateStart } from './upload-model.ts';

/**
 * `scheduled`: starts automatically later. `sending`: its bytes are being sent. `uploaded`: it is at the service, and
 * publishing was not requested. `publishing`: the request to publish has no answer yet. `following`: a job of the
 * service reads it. `unknown`: the answer to publishing was lost. `interrupted`: the program ended while it was being
 * sent. `paused`: the token was refused, and the file is sent again with another one.
 */
export const WHOLE_FILE_STATES = [
  'scheduled',
  'sending',
  'uploaded',
  'publishing',
  'following',
  'done',
  'failed',
  'unknown',
  'interrupted',
  'paused',
  'cancelled',
] as const;
export type WholeFileState = (typeof WHOLE_FILE_STATES)[number];

/** One raw file that was sent. Times are wall time in milliseconds. */
export interface WholeFile {
  id: string;
  name: string;
  sizeBytes: number;
  /** Number of requests with bytes of the file, and of those that were answered. */
  parts: number;
  partsSent: number;
  bytesSent: number;
  /** Null if the file is uploaded without publishing. */
  modelId: string | null;
  envType: string;
  envName: string | null;
  publishes: boolean;
  state: WholeFileState;
  /** The service's record of the file, with unknown fields; null until the file is complete. */
  file: Record<string, unknown> | null;
  jobId: string | null;
  jobStatus: string | null;
  /** 0 to 100, as stated by the service. */
  progress: number | null;
  /** For a scheduled upload: why the last attempt failed. */
  error: WireError | null;
  /** Wall time at which a `scheduled` one starts automatically; null in every other state. */
  startAtMs: number | null;
  lateStart: LateStart | null;
  startedAtMs: number;
  endedAtMs: number | null;
  /** Effect of the action `again`: sends the file anew, or publishes the uploaded one; null if neither is possible. */
  again: 'send' | 'publish' | null;
}

/** The cost of sending a file, before anything is sent. */
export interface WholeFileLook {
  fileId: string;
  name: string;
  sizeBytes: number;
  type: 'CSV' | 'PARQUET';
  parts: number;
  /** Requests by operation id, without publishing. */
  requests: { operation: string; count: number }[];
}

export type WholeFileAction = 'cancel' | 'again' | 'forget' | 'start' | 'schedule';
