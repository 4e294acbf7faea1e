/** What both processes know of, as schemas: main parses with them, the renderer takes their types. */

import { z } from 'zod';
import { columnFilters } from './analysis-model.ts';
import type { ErrorCode, WireError } from './errors.ts';
import { boundedBody } from './json-body.ts';

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

/** Below it answers that are on their way are given up; above it nobody waits. */
export const LEAST_TIMEOUT_S = 5;
export const MOST_TIMEOUT_S = 3_600;

/** What a person types to describe a connection. The token is never part of it. */
export const connectionDraft = z.strictObject({
  id: z.uuid().nullable(),
  name: z.string().trim().min(1).max(80),
  baseUrl: z.string().trim().min(1).max(2_000),
  colour: z.enum(CONNECTION_COLOURS),
  isReadOnly: z.boolean(),
  /** Plain http to a host that is not loopback is refused unless this is set for the connection. */
  allowsPlainHttp: z.boolean(),
  /** `http://host:port` or `socks5://host:port`; `direct` for none; null for what the environment or the system says. */
  proxyUrl: z.string().trim().max(2_000).nullable(),
  /** PEM file with further certificate authorities. */
  extraCaFile: z.string().max(4_000).nullable(),
  /** With which that proxy is entered; its password is a secret. Absent where it asks for none. */
  proxyUser: z.string().trim().min(1).max(255).optional(),
  /** PKCS #12 or PEM file with the certificate and key that the service asks for; its passphrase is a secret. */
  clientCertFile: z.string().trim().min(1).max(4_000).optional(),
  /** Seconds after which a request without answer is given up; absent for the usual time. */
  answerTimeoutS: z.int().min(LEAST_TIMEOUT_S).max(MOST_TIMEOUT_S).optional(),
  /** `memory`: gone after quit. */
  tokenStorage: z.enum(['keychain', 'memory']),
});
export type ConnectionDraft = z.infer<typeof connectionDraft>;

/** What is kept beside the token, the same way: the password of the proxy, the passphrase of the client certificate. */
const SECRET_KINDS = ['proxy', 'certificate'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

const secretText = z.string().min(1).max(1_024);
/** As typed; what is absent stays as it is. */
export const connectionSecrets = z.strictObject({
  proxy: secretText.optional(),
  certificate: secretText.optional(),
});
export type ConnectionSecrets = z.infer<typeof connectionSecrets>;

/** An access token as typed or pasted. Printable ASCII without spaces: what a header can carry. */
export const accessToken = z
  .string()
  .trim()
  .min(1)
  .max(8_192)
  .regex(/^[\x21-\x7e]+$/);

export const connection = connectionDraft.extend({
  id: z.uuid(),
  /** `pack`: what a file holds; there is no service behind it. */
  kind: z.enum(['service', 'sample', 'pack']),
  createdAtMs: z.number(),
  /** Last four characters and day of the stored token; null while there is none. */
  tokenHint: z.strictObject({ lastFour: z.string(), savedAtMs: z.number() }).nullable(),
  /** Those that are stored for it. Absent for none. */
  keptSecrets: z.array(z.enum(SECRET_KINDS)).min(1).max(SECRET_KINDS.length).optional(),
  /** Of a pack. Times of the oldest and newest answer in it, and the fields that are masked. */
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

/** Stands where a service has its address: that top-level domain never exists. */
export const PACK_URL = 'https://pack.invalid';

/** How a connection reaches its service right now. */
/** A request that the service has not answered for long. */
export interface Silence {
  /** Method and path template. */
  operation: string;
  sentAtMs: number;
}

export interface NetworkState {
  connectionId: string;
  state: 'unknown' | 'online' | 'switched-off' | 'unreachable' | 'unauthorized';
  sinceMs: number;
  error: WireError | null;
  lastAnswerMs: number | null;
  /** Of the requests that got no answer for long, the one that was sent first. */
  silence: Silence | null;
}

/** What is said while somebody waits for the keychain. */
export const KEYCHAIN_WAITS = 'Waiting for the keychain: your system may be asking for permission.';

export interface KeychainStatus {
  isAvailable: boolean;
  /** "macOS Keychain", "Windows Credential Manager", "Secret Service", or "none". */
  backend: string;
  /** Why not, and what can be done; empty where it is available. */
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
  /** Proxy and certificates in force and where they come from; empty where nothing was tried. */
  reach: string;
  /** Null where nothing was answered. */
  elapsedMs: number | null;
}

/** Of the view that asks: its tab, and what in it, which may be an id of the service. */
export const viewId = z.string().max(300);

/** A list or record as the library knows it: an operation with its parameters, paging left out. */
export const listQuery = z.strictObject({
  operation: z.string().max(60),
  path: z.record(z.string(), z.string().max(500)),
  query: z.record(z.string(), z.string().max(4_000)),
  /** For operations that ask with a JSON body (POST /v3/spans/query, /v3/spans/fields, /v3/queries); bounded. */
  body: boundedBody.optional(),
});
export type ListQuery = z.infer<typeof listQuery>;

/** What a stored list or record asks for, of its JSON text; null where that cannot be read. */
export function storedQuery(text: string): ListQuery | null {
  try {
    return listQuery.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/** When something was fetched, and how much of the whole is here. Every view carries one. */
/** Start included, end not. */
export interface TimeRange {
  startMs: number;
  endMs: number;
}

export interface Freshness {
  /** Newest and oldest answer the stored rows came from; null while nothing is stored. */
  newestMs: number | null;
  oldestMs: number | null;
  isStale: boolean;
  /** Rows stored, and rows the service said there are (null while not known). */
  storedRows: number;
  totalRows: number | null;
  /** The pages contradict that total: the list ends where they end. */
  isTotalWrong?: boolean;
  /** Every row is here that the service had at one moment. */
  isComplete: boolean;
  /**
   * The list was read to its end, again where its pages moved, and rows are still missing: how many, or null where that is
   * not known. Absent otherwise.
   */
  missingRows?: number | null;
  /**
   * `derived`: answered from another stored list on this computer, by the same rule the service states. `assumed`: the
   * same where the service leaves the rule open.
   */
  source: 'none' | 'stored' | 'derived' | 'assumed';
  /** Nothing is stored because it was removed, to stay under the limit that is named. */
  removed?: { atMs: number; to: string };
  /**
   * Nothing is stored: another time range for which the same question is. The latest that is as long as the one asked
   * for, else the latest of any length.
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
  /** Latest request that this rests on. */
  requestId: string | null;
}

export interface ListState {
  /** Stable text of connection and query; events name it. */
  listKey: string;
  freshness: Freshness;
}

export const rowWindow = z.strictObject({
  offset: z.int().min(0),
  limit: z.int().min(1).max(200),
  sort: z.strictObject({ field: z.string().max(200), isDescending: z.boolean() }).nullable(),
  /** Narrowing of stored rows only, no request: text or /regex/ matched against every shown field. */
  narrow: z.string().max(500).nullable(),
  /** Of columns, as their pictures set them: rows that pass all. */
  filters: columnFilters.optional(),
});
export type RowWindow = z.infer<typeof rowWindow>;

/** Selections of more pieces are taken as all rows, or sorted first. */
const MOST_RANGES = 10_000;

/** Rows of a stored list and their order, as a grid narrows and sorts them. */
export const chosenRows = {
  query: listQuery,
  narrow: rowWindow.shape.narrow,
  filters: columnFilters,
  sort: rowWindow.shape.sort,
  /** Of these rows only those from place to place in that order, both included; null: all. */
  ranges: z
    .array(z.strictObject({ from: z.int().min(0), to: z.int().min(0) }))
    .min(1)
    .max(MOST_RANGES)
    .nullable(),
  /** The list that the places were counted in: where it has changed, they are of other rows. */
  seen: z.strictObject({ storedRows: z.int(), newestMs: z.number().nullable() }).nullable(),
};

export interface ListRow {
  /** 0-based position in the service's order. */
  position: number;
  /** Of a long row only its head, where there are `parts`. */
  record: Record<string, unknown>;
  parts?: RecordParts;
}

/** What `app:read-part` gives part after part. `textId` is another for each answer. */
export interface RecordParts {
  textId: number;
  characters: number;
}

export interface RowPage {
  rows: ListRow[];
  /** Rows after narrowing: what the grid's height follows. */
  matchingRows: number;
  /** Where to go on: the rows that were asked for are too much for one message. Absent where all of them are here. */
  nextOffset?: number;
}

/** A single record, e.g. a dataset schema or a model. */
export interface RecordState {
  recordKey: string;
  /** Null where nothing is stored, and where it is too long for a message: see `parts`. */
  record: Record<string, unknown> | null;
  /** Of a long record. */
  parts: RecordParts | null;
  /**
   * When the service was known to have it no longer: it was deleted here, or asked for and not found. What was
   * stored is still given. Null for a record that is there, as far as is known.
   */
  goneAtMs: number | null;
  freshness: Freshness;
}

export type { LaneStatus, RequestLogRow } from './traffic-model.ts';
