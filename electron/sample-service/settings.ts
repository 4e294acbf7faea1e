/** What can be set about the service, and its defaults. The specification leaves most of these open. */
export interface ServiceSettings {
  /** Page size where a request names none. */
  defaultLimit: number;
  /** Largest page size; a request for more gets this many. */
  maxLimit: number;
  /** Most events in one publish request (SERVICE.md F1.1). */
  maxEvents: number;
  maxBodyBytes: number;
  /** Largest multipart body: one file, or one part of a file. */
  maxFileBytes: number;
  /** How long a job waits, and how long it then runs. */
  jobPendingMs: number;
  jobRunMs: number;
  /** Requests this soon after an answer with Retry-After are not held against the client. */
  retryAfterGraceMs: number;
  /** Whether production has the rows of its traffic; without it an environment has only the events that were published. */
  hasTraffic: boolean;
}

export const DEFAULT_SETTINGS: ServiceSettings = {
  defaultLimit: 50,
  maxLimit: 1_000,
  maxEvents: 1_000,
  maxBodyBytes: 16 * 1024 * 1024,
  maxFileBytes: 128 * 1024 * 1024,
  jobPendingMs: 1_000,
  jobRunMs: 3_000,
  retryAfterGraceMs: 100,
  hasTraffic: true,
};

/** `no-project`: the token is known, but no project is open to it. */
type TokenRole = 'read-write' | 'read-only' | 'no-project';

export interface TokenEntry {
  token: string;
  role: TokenRole;
}
