/** The settings of the service and their defaults. The specification leaves most of these open. */
export interface ServiceSettings {
  /** Default page size. */
  defaultLimit: number;
  /** Maximum page size; a request for more gets this many. */
  maxLimit: number;
  /** Maximum number of events in one publish request (SERVICE.md F1.1). */
  maxEvents: number;
  maxBodyBytes: number;
  /** Maximum size of a multipart body: one file, or one part of a file. */
  maxFileBytes: number;
  /** How long a job is pending, and how long it then runs. */
  jobPendingMs: number;
  jobRunMs: number;
  /** Requests within this time after an answer with Retry-After are not violations. */
  retryAfterGraceMs: number;
  /** Days until the token of a request expires, counted from the first reading of its key. */
  tokenDays: number;
  /**
   * Wall time until which production receives generated rows: those of an hour arrive at its beginning. 0: environments
   * have only published events.
   */
  trafficUntilMs: number;
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
  tokenDays: 365,
  trafficUntilMs: Number.POSITIVE_INFINITY,
};

/** `no-project`: the token is known but has access to no project. */
type TokenRole = 'read-write' | 'read-only' | 'no-project';

export interface TokenEntry {
  token: string;
  role: TokenRole;
}
