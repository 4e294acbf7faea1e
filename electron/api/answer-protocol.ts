/** Messages between the main thread and the two threads that hold and read large answers. */
import type { MessagePort } from 'node:worker_threads';
import type { Difference } from '../shared/answer-differences.ts';
import type { WireError } from '../shared/errors.ts';
import type { OperationId } from './endpoints.ts';
import type { ItemRow, TextPart } from './item-row.ts';
import type { JsonPiece } from './json-pieces.ts';

/** The rows of a page, or a record as a single row. */
export type StoredKind = 'rows' | 'record';

/** The storable data of an answer. Texts stay unparsed, so that the main thread parses none of them. */
export interface RowSet {
  rows: ItemRow[];
  total: number | null;
  offset: number;
}

/** How to read an answer, the same as for a small one. */
export interface Reading {
  /** With `raw` there is no operation. With `rows` and `record`, the answer is read for storage. */
  kind: 'page' | 'value' | 'raw' | StoredKind;
  operation: OperationId | null;
  status: number;
  encoding: string | null;
  /** Offset of a page that does not state its own. */
  offset: number;
}

/** The form in which values of an answer are returned. */
export interface ValueForm {
  /** Numbers beyond double precision keep all their digits (RawNumber). */
  isExact: boolean;
}

export type ReceiveRequest =
  | { kind: 'begin'; id: number; token: string; mostBytes: number }
  | { kind: 'bytes'; id: number; bytes: Uint8Array<ArrayBuffer> }
  /**
   * Sends all bytes to the other end of the port, in one message. `isLast`: the bytes are transferred, because no other
   * reader needs them.
   */
  | { kind: 'give'; id: number; port: MessagePort; isLast: boolean }
  | { kind: 'drop'; id: number };

/** Number of bytes scanned so far. */
export interface ReceiveReply {
  id: number;
  bytes: number;
  /** Reason why the answer is too large; null if it is not. */
  found: string | null;
}

export type AnswerRequest =
  /** The bytes arrive through the port. */
  | { kind: 'read'; reading: Reading & ValueForm; port: MessagePort }
  /** Requests the next piece of the result. */
  | { kind: 'next' };

export type AnswerReply =
  | { kind: 'piece'; piece: JsonPiece }
  /** Further rows. If the last row is long, its parts follow. */
  | { kind: 'rows'; rows: RowSet }
  | { kind: 'part'; part: TextPart }
  /** Differences between records of the answer and their known form. */
  | { kind: 'differences'; differences: readonly Difference[] }
  | { kind: 'done' }
  | { kind: 'failed'; error: WireError };
