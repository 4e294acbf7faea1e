/** Types shared by both processes, as schemas: main parses with them, and the renderer uses the inferred types. */

import { columnFilters } from './analysis-model.ts';
import type { ErrorCode, WireError } from './errors.ts';
import { boundedBody } from './json-body.ts';
import * as z from './zod.ts';

export const CONNECTION_COLOURS = [
  'indigo',
  'teal',
  'amber',
  'rose',
  'violet',
  'lime',
  'sky',
  'slate',
] as const;

/** A shorter timeout would cancel answers in progress; a longer one is of no use to a person. */
export const MIN_TIMEOUT_S = 5;
export const MAX_TIMEOUT_S = 3_600;

/** Typed settings of a connection. The token is never part of it. */
export const connectionDraft = z.strictObject({
  id: z.uuid().nullable(),
  name: z.string().trim().min(1).max(80),
  baseUrl: z.string().trim().min(1).max(2_000),
  colour: z.enum(CONNECTION_COLOURS),
  isReadOnly: z.boolean(),
  /** Plain http to a host that is not loopback is rejected unless this is set for the connection. */
  allowsPlainHttp: z.boolean(),
  /**
   * `http://host:port` or `socks5://host:port`; `direct` for none; null for the setting of the environment or the
   * system.
   */
  proxyUrl: z.string().trim().max(2_000).nullable(),
  /** PEM file with additional certificate authorities. */
  extraCaFile: z.string().max(4_000).nullable(),
  /** User name for the proxy, whose password is a secret. Absent if the proxy needs none. */
  proxyUser: z.string().trim().min(1).max(255).optional(),
  /** PKCS #12 or PEM file with the certificate and key required by the service; its passphrase is a secret. */
  clientCertFile: z.string().trim().min(1).max(4_000).optional(),
  /** Answer timeout in seconds; absent for the default. */
  answerTimeoutS: z.int().min(MIN_TIMEOUT_S).max(MAX_TIMEOUT_S).optional(),
  /** `memory`: the token is lost when the application quits. */
  tokenStorage: z.enum(['keychain', 'memory']),
});
export type ConnectionDraft = z.infer<typeof connectionDraft>;

/**
 * Secrets that are stored in the same way as the token: the password of the proxy, and the passphrase of the client
 * certificate.
 */
const SECRET_KINDS = ['proxy', 'certificate'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

const secretText = z.string().min(1).max(1_024);
/** Secrets as typed; absent ones stay unchanged. */
export const connectionSecrets = z.strictObject({
  proxy: secretText.optional(),
  certificate: secretText.optional(),
});
export type ConnectionSecrets = z.infer<typeof connectionSecrets>;

/** An access token as typed or pasted. Printable ASCII without spaces, as allowed in a header. */
export const accessToken = z
  .string()
  .trim()
  .min(1)
  .max(8_192)
  .regex(/^[\x21-\x7e]+$/);

export const connection = connectionDraft.extend({
  id: z.uuid(),
  /** `pack`: the contents of a file, without a service. */
  kind: z.enum(['service', 'sample', 'pack']),
  createdAtMs: z.number(),
  /** Last four characters and day of the stored token; null if there is none. */
  tokenHint: z.strictObject({ lastFour: z.string(), savedAtMs: z.number() }).nullable(),
  /** Kinds of secrets stored for the connection. Absent if there are none. */
  keptSecrets: z.array(z.enum(SECRET_KINDS)).min(1).max(SECRET_KINDS.length).optional(),
  /** The former address, and the wall time at which it was replaced. Absent if the address was never changed. */
  movedFrom: z.strictObject({ baseUrl: z.string(), atMs: z.number() }).optional(),
  /** For a pack: times of its oldest and newest answer, and its masked fields. */
  pack: z
    .strictObject({
      fileName: z.string(),
      madeAtMs: z.number(),
      oldestMs: z.number().nullable(),
      newestMs: z.number().nullable(),
      redact: z.array(z.string()),
    })
    .optional(),
});
export type Connection = z.infer<typeof connection>;

/** Address of a pack's connection, which has no service: the top-level domain `invalid` never exists. */
export const PACK_URL = 'https://pack.invalid';

/** A request that has had no answer for a long time. */
export interface Silence {
  /** Method and path template. */
  operation: string;
  sentAtMs: number;
}

/** Present access of a connection to its service. */
export interface NetworkState {
  connectionId: string;
  state: 'unknown' | 'online' | 'switched-off' | 'unreachable' | 'unauthorized';
  sinceMs: number;
  error: WireError | null;
  lastAnswerMs: number | null;
  /** The request that has waited longest without an answer; null if none is late. */
  silence: Silence | null;
}

/** Message shown while a call waits for the keychain. */
export const KEYCHAIN_WAITS = 'Waiting for the keychain: your system may be asking for permission.';

export interface KeychainStatus {
  isAvailable: boolean;
  /** "macOS Keychain", "Windows Credential Manager", "Secret Service", or "none". */
  backend: string;
  /** Why no keychain is available, with advice; empty if one is available. */
  reason: string;
}

export interface ConnectionTest {
  isOk: boolean;
  code: ErrorCode | null;
  title: string;
  message: string;
  nextStep: string;
  serverVersion: string | null;
  apiVersion: string | null;
  organization: string | null;
  /** Proxy and certificates in use and their source; empty if nothing was tried. */
  reach: string;
  /** Null if there was no answer. */
  elapsedMs: number | null;
}

/** Id of the requesting view: its tab and the part within the tab, which may be an id of the service. */
export const viewId = z.string().max(300);

/** A list or record in the library: an operation with its parameters, without paging. */
export const listQuery = z.strictObject({
  operation: z.string().max(60),
  path: z.record(z.string(), z.string().max(500)),
  query: z.record(z.string(), z.string().max(4_000)),
  /** For operations queried with a JSON body (POST /v3/spans/query, /v3/spans/fields, /v3/queries); bounded. */
  body: boundedBody.optional(),
});
export type ListQuery = z.infer<typeof listQuery>;

/** The query of a stored list or record, from its JSON text; null if that cannot be read. */
export function storedQuery(text: string): ListQuery | null {
  try {
    return listQuery.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** Start inclusive, end exclusive. */
export interface TimeRange {
  startMs: number;
  endMs: number;
}

/** When data was fetched, and how much of the whole is stored. Every view shows it. */
export interface Freshness {
  /** Newest and oldest answer behind the stored rows; null while nothing is stored. */
  newestMs: number | null;
  oldestMs: number | null;
  isStale: boolean;
  /** Number of stored rows, and the total stated by the service (null while unknown). */
  storedRows: number;
  totalRows: number | null;
  /** The pages contradict that total: the list ends where its pages end. */
  isTotalWrong?: boolean;
  /** The rows are all rows that the service had at one moment. */
  isComplete: boolean;
  /**
   * Number of rows that are missing although the list was read to its end, repeatedly if its pages moved; null if
   * unknown, and absent if none is missing.
   */
  missingRows?: number | null;
  /** Number of stored rows of a kept list that the service no longer returns; absent if it is none. */
  goneRows?: number;
  /**
   * `derived`: answered locally from another stored list, by a rule that the service states. `assumed`: answered in the
   * same way, by a rule that the service leaves open.
   */
  source: 'none' | 'stored' | 'derived' | 'assumed';
  /** Why nothing is stored: it was evicted at this time to stay within this limit. */
  removed?: { atMs: number; to: string };
  /**
   * Nothing is stored for the requested time range, but the same query is stored for this one: the latest of equal
   * length, or else the latest of any length.
   */
  storedRange?: TimeRange;
  /** Rows that a derived answer searched through. */
  searchedRows: number | null;
  /** The service's list changed between two of its pages while it was read. */
  hasMovedWhileRead: boolean;
  refresh:
    | { phase: 'idle' }
    | { phase: 'loading'; fetchedRows: number; startedAtMs: number }
    | { phase: 'failed'; error: WireError; atMs: number };
  /** Latest request whose answer is the source of the rows. */
  requestId: string | null;
}

export interface ListState {
  /** Text that identifies the connection and the query. Events about the list contain it. */
  listKey: string;
  freshness: Freshness;
}

export const rowWindow = z.strictObject({
  offset: z.int().min(0),
  limit: z.int().min(1).max(200),
  sort: z.strictObject({ field: z.string().max(200), isDescending: z.boolean() }).nullable(),
  /**
   * Text or /regex/ matched against every shown field. Filters only stored rows, without a request. Saved views, links
   * and exports have the same key.
   */
  narrow: z.string().max(500).nullable(),
  /** Column filters, as set in column summaries. A row must pass all of them. */
  filters: columnFilters.optional(),
  /**
   * For spans: one row for each session that has a span left after filtering; the row counts all of its stored spans.
   */
  groupBy: z.literal('session').optional(),
});
export type RowWindow = z.infer<typeof rowWindow>;

/** Maximum ranges of a selection. A selection with more is treated as all rows, or sorted first. */
const MAX_RANGES = 10_000;

/** Rows of a stored list and their order, as filtered and sorted in a grid. */
export const chosenRows = {
  query: listQuery,
  narrow: rowWindow.shape.narrow,
  filters: columnFilters,
  sort: rowWindow.shape.sort,
  /** Only the rows in these index ranges of that order, inclusive on both sides; null: all. */
  ranges: z
    .array(z.strictObject({ from: z.int().min(0), to: z.int().min(0) }))
    .min(1)
    .max(MAX_RANGES)
    .nullable(),
  /** State of the list in which the indices were determined: if it has changed, they refer to other rows. */
  seen: z.strictObject({ storedRows: z.int(), newestMs: z.number().nullable() }).nullable(),
};

export interface ListRow {
  /** 0-based position in the service's order. */
  position: number;
  /** Only the beginning of a long row, which has `parts`. */
  record: Record<string, unknown>;
  parts?: RecordParts;
}

/** Reference for `app:read-part`, which returns one part at a time. `textId` differs for each answer. */
export interface RecordParts {
  textId: number;
  characters: number;
}

export interface RowPage {
  rows: ListRow[];
  /** Number of rows after filtering: determines the grid's height. */
  matchingRows: number;
  /**
   * The offset at which to continue, because the requested rows exceed one message. Absent if all of them are included.
   */
  nextOffset?: number;
}

/** A single record, e.g. a dataset schema or a model. */
export interface RecordState {
  recordKey: string;
  /** Null if nothing is stored, and if it is too long for a message: see `parts`. */
  record: Record<string, unknown> | null;
  /** For a record too long for a message. */
  parts: RecordParts | null;
  /**
   * When the record was found to be gone: deleted here, or requested and not found at the service. Its stored data is
   * still returned. Null if the record exists, as far as is known.
   */
  goneAtMs: number | null;
  freshness: Freshness;
}

export type { LaneStatus, RequestLogRow } from './traffic-model.ts';
