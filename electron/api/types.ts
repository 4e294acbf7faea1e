import type { Priority } from '../core/priority.ts';
import type { RowSet, StoredKind } from './answer-protocol.ts';
import type { ItemOf, Method, OperationId, ValueOf } from './endpoints.ts';
import type { Parts } from './file-part.ts';

/** Parameters of one call. Path and query names are those of the endpoint table. */
export interface CallInput {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number | readonly string[]>>;
  body?: unknown;
  /** Of a list: goes where the operation takes it, into the query or the body. */
  paging?: Readonly<{ limit: number; offset: number }>;
  /** A body that is JSON text already, or its UTF-8 (written by a worker thread); sent as it is. */
  bodyText?: string | Uint8Array;
  /** Of an operation that takes multipart/form-data: every part its row names. Files are read while they are sent. */
  parts?: Parts;
}

export interface CallOptions {
  priority: Priority;
  /** Fairness and cancellation go by group: a view, an upload job. */
  group?: string;
  signal?: AbortSignal;
  /** One attempt only, whatever the operation allows: whoever asks looks before it is sent again. */
  isOnce?: boolean;
  /** Numbers that JavaScript has none for come digit by digit (RawNumber), to be kept or written, not calculated with. */
  isExact?: boolean;
  /** Called each time when the request leaves the queue, just before it is sent. */
  onSend?: () => void;
  /** Milliseconds from send to the end of the answer; where files are sent, from the last part of them that left. */
  timeoutMs?: number;
}

/** SERVICE.md S2.2, in this application's spelling. */
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
  /** Row of the request log that says when and how this came. */
  requestId: string;
  receivedAtMs: number;
  sizeBytes: number;
}

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  /** Parsed JSON, or the text where it is not JSON; null where there is no body. */
  body: unknown;
  requestId: string;
}

/** What the endpoint table says of an operation. */
export interface OperationInfo {
  id: OperationId;
  title: string;
  /** Method and path template. */
  text: string;
  /** Field of an item that identifies it within its list. */
  identity: string | null;
  /** Where a list takes the fields to order it by; null where it takes none. */
  ordersIn: 'query' | 'body' | null;
  isList: boolean;
  /** Nothing changes at the service however often it is asked; with a JSON body where the operation takes one. */
  isRead: boolean;
}

/**
 * One connection's way to the service. Every call goes through the scheduler; every failure is an AppError
 * whose `details.outcome` says whether the request was surely not sent.
 */
export interface ServiceClient {
  /** Throws INVALID_ARGUMENT where there is no such operation. */
  describe(operation: string): OperationInfo;
  /** For long work in the background, between its steps: resolves once no view waits for an answer, or after a moment. */
  whenFree(): Promise<void>;
  list<O extends OperationId>(
    operation: O,
    input: CallInput,
    options: CallOptions,
  ): Promise<Answer<Page<ItemOf<O>>>>;
  /** The record; the items of an operation that answers with a bare array; `{}` where nothing is answered. */
  call<O extends OperationId>(
    operation: O,
    input: CallInput,
    options: CallOptions,
  ): Promise<Answer<ValueOf<O>>>;
  /**
   * What is stored of an answer, as JSON text that this thread never parses where it is large: the rows of a list, an
   * item that is too large among them as a row that says so, or a record as one row.
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
