import type { Priority } from '../core/priority.ts';
import type { RowSet, StoredKind } from './answer-protocol.ts';
import type { ItemOf, Method, OperationId, ValueOf } from './endpoints.ts';
import type { Parts } from './file-part.ts';

/** Parameters of one call. Names of path and query parameters are those in the endpoint table. */
export interface CallInput {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | readonly string[]>>;
  body?: unknown;
  /** For lists. Placed in the query or the body, as the operation requires. */
  paging?: Readonly<{ limit: number; offset: number }>;
  /** A body that is already JSON text, or its UTF-8 bytes (written by a worker thread). Sent unchanged. */
  bodyText?: string | Uint8Array;
  /** For multipart/form-data: every part that the row declares. Files are read while they are sent. */
  parts?: Parts;
}

export interface CallOptions {
  priority: Priority;
  /** Unit of fairness and cancellation, such as a view or an upload job. */
  group?: string;
  signal?: AbortSignal;
  /**
   * True for a single attempt, even if the operation may be retried. The caller then checks the outcome before sending
   * again.
   */
  isOnce?: boolean;
  /**
   * True if numbers beyond double precision keep all digits (RawNumber). For storage or output, not for calculation.
   */
  isExact?: boolean;
  /** Called each time the request leaves the queue, just before it is sent. */
  onSend?: () => void;
  /**
   * Called each time the system has taken all bytes of a body of at least 128 KB. If `onSend` was called once, nothing
   * reads the memory of the body any more.
   */
  onBodyTaken?: () => void;
  /** Maximum time in milliseconds from send to the end of the answer; if files are sent, from their last sent chunk. */
  timeoutMs?: number;
}

/** SERVICE.md S2.2, with the field names of this application. */
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
  /** Id of the row in the request log for this request. */
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

/** Facts about an operation from the endpoint table. */
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
  /** True if the operation never changes anything at the service. Its query may be a JSON body. */
  isRead: boolean;
}

/**
 * The client of one connection for the service. Every call goes through the scheduler. Every failure is an AppError
 * whose `details.outcome` says whether the request was certainly not sent.
 */
export interface ServiceClient {
  /** Throws INVALID_ARGUMENT if there is no such operation. */
  describe(operation: string): OperationInfo;
  /**
   * Awaited between the steps of long background work. Resolves once no view waits for an answer, or after a short
   * time.
   */
  whenFree(): Promise<void>;
  list<O extends OperationId>(
    operation: O,
    input: CallInput,
    options: CallOptions,
  ): Promise<Answer<Page<ItemOf<O>>>>;
  /** The record; the items, if the operation answers with a plain array; `{}` if the answer has no fields. */
  call<O extends OperationId>(
    operation: O,
    input: CallInput,
    options: CallOptions,
  ): Promise<Answer<ValueOf<O>>>;
  /**
   * The storable data of an answer, as JSON text that this thread does not parse if it is large: the rows of a list, or
   * a record as one row. If an item is too large, its row says so.
   */
  rows(
    kind: StoredKind,
    operation: OperationId,
    input: CallInput,
    options: Omit<CallOptions, 'isExact'>,
  ): Promise<Answer<RowSet>>;
  /** Sends any method and path below `/v3`. Resolves for every status. */
  request(
    request: { method: Method; path: string; query?: Readonly<Record<string, string>>; body?: unknown },
    options: CallOptions,
  ): Promise<RawAnswer>;
}
