/** Files sent whole (SERVICE.md F1.1 to F1.4), as both processes see them. */
import type { WireError } from './errors.ts';
import type { LateStart } from './upload-model.ts';

/**
 * `scheduled`: it begins by itself later; `sending`: its bytes; `uploaded`: it is at the service and was not to be published; `publishing`: the answer to
 * publishing is awaited; `following`: the service's job reads it; `unknown`: the answer to publishing was lost;
 * `interrupted`: the program ended while it was being sent.
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
  'cancelled',
] as const;
export type WholeFileState = (typeof WHOLE_FILE_STATES)[number];

/** One file that was sent as a whole. Times are wall time in milliseconds. */
export interface WholeFile {
  id: string;
  name: string;
  sizeBytes: number;
  /** Requests that carry its bytes, and how many of them were answered. */
  parts: number;
  partsSent: number;
  bytesSent: number;
  /** Null where it is uploaded without being published. */
  modelId: string | null;
  envType: string;
  envName: string | null;
  publishes: boolean;
  state: WholeFileState;
  /** The service's record of the file, unknown fields kept; null until it has the whole of it. */
  file: Record<string, unknown> | null;
  jobId: string | null;
  jobStatus: string | null;
  /** 0 to 100, as the service gives it. */
  progress: number | null;
  /** Of a `scheduled` one: why its last try did not come about. */
  error: WireError | null;
  /** Wall time at which a `scheduled` one begins by itself; null in every other state. */
  startAtMs: number | null;
  lateStart: LateStart | null;
  startedAtMs: number;
  endedAtMs: number | null;
  /** What `again` would do: send the file anew, or publish what is uploaded; null where it is not to be done. */
  again: 'send' | 'publish' | null;
}

/** What sending a file takes, before anything is sent. */
export interface WholeFileLook {
  fileId: string;
  name: string;
  sizeBytes: number;
  type: 'CSV' | 'PARQUET';
  parts: number;
  /** Requests by operation id, publishing not among them. */
  requests: { operation: string; count: number }[];
}

export type WholeFileAction = 'cancel' | 'again' | 'forget' | 'start' | 'schedule';
