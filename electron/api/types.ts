import type { Priority } from '../core/priority.ts';
import type { RowSet, StoredKind } from './answer-protocol.ts';
import type { ItemOf, Method, OperationId, ValueOf } from './endpoints.ts';
import type { Parts } from './file-part.ts';

/** Parameters of one call. Path and query names are the names in the endpoint table. */
export interface CallInput {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | readonly string[]>>;
  body?: unknown;
  /** For lists: placed in the query or the body, as the operation requires. */
  paging?: Readonly<{ limit: number; offset: number }>;
  /** A body that is already JSON text, or its UTF-8 (written by a worker thread); sent unchanged. */
  bodyText?: string | Uint8Array;
  /** For multipart/form-data: every part that the row names. Files are read while they are sent. */
  parts?: Parts;
}

export interface CallOptions {
  priority: Priority;
  /** Unit of fairness and cancellation: a view, an upload job. */
  group?: string;
  signal?: AbortSignal;
  /** A single attempt, whatever the operation allows: the caller checks the outcome before sending again. */
  isOnce?: boolean;
  /** Numbers beyond double precision keep all digits (RawNumber), for storage or output, not for calculation. */
  isExact?: boolean;
  /** Called each time the request leaves the queue, just before it is sent. */
  onSend?: () => void;
  /**
   * Called each time the system has taken all bytes of a body of at least 128 KB. After a single `onSend`, nothing reads
   * its memory any more.
   */
  onBodyTaken?: () => void;
  /** Milliseconds from send to the end of the answer; if files are sent, from their last sent chunk. */
  timeoutMs?: number;
}

/** SERVICE.md S2.2, with this application's names. */
export interface Page<T> {
  items: T[];
  itemCount: number;
  total: number | null;
  pageSize: number | null;
  offset: number;
}

export interface Answer<T> {
  value: T;
  status: number;
  /** Row of the request log for this request. */
  requestId: string;
  receivedAtMs: number;
  sizeBytes: number;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  /** Parsed JSON, or the text if it is not JSON; null if there is no body. */
  body: unknown;
  requestId: string;
}

/** An operation's entry in the endpoint table. */
export interface OperationInfo {
  id: OperationId;
  title: string;
  /** Method and path template. */
  text: string;
  /** Field of an item that identifies it within its list. */
  identity: string | null;
  /** Place of a list's ordering parameter; null if it has none. */
  ordersIn: 'query' | 'body' | null;
  isList: boolean;
  /** Reading it never changes anything at the service; its query may be a JSON body. */
  isRead: boolean;
}

/**
 * One connection's client for the service. Every call goes through the scheduler; every failure is an AppError whose
 * `details.outcome` says whether the request was certainly not sent.
 */
export interface ServiceClient {
  /** Throws INVALID_ARGUMENT if there is no such operation. */
  describe(operation: string): OperationInfo;
  /** For long background work, between its steps: resolves once no view waits for an answer, or after a moment. */
  whenFree(): Promise<void>;
  list<O extends OperationId>(
    operation: O,
    input: CallInput,
    options: CallOptions,
  ): Promise<Answer<Page<ItemOf<O>>>>;
  /** The record; the items of an operation that answers with a bare array; `{}` if nothing is answered. */
  call<O extends OperationId>(
    operation: O,
    input: CallInput,
    options: CallOptions,
  ): Promise<Answer<ValueOf<O>>>;
  /**
   * The storable data of an answer, as JSON text that this thread does not parse if it is large: the rows of a list,
   * with an oversized item as a row that says so, or a record as one row.
   */
  rows(
    kind: StoredKind,
    operation: OperationId,
    input: CallInput,
    options: Omit<CallOptions, 'isExact'>,
  ): Promise<Answer<RowSet>>;
  /** Any method and path below `/v3`; resolves for every status. */
  request(
    request: { method: Method; path: string; query?: Readonly<Record<string, string>>; body?: unknown },
    options: CallOptions,
  ): Promise<RawAnswer>;
}
