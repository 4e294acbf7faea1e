/** What the main thread and the two threads that have and read large answers say to each other. */
import type { MessagePort } from 'node:worker_threads';
import type { WireError } from '../shared/errors.ts';
import type { OperationId } from './endpoints.ts';
import type { ItemRow, TextPart } from './item-row.ts';
import type { JsonPiece } from './json-pieces.ts';

/** Rows of a page, or a record as one row. */
export type StoredKind = 'rows' | 'record';

/** What is stored of an answer. The texts come as texts: the main thread parses none of them. */
export interface RowSet {
  rows: ItemRow[];
  total: number | null;
  offset: number;
}

/** How an answer is read: as one would be that is small. */
export interface Reading {
  /** `raw` has no operation; `rows` and `record` are read to be stored. */
  kind: 'page' | 'value' | 'raw' | StoredKind;
  operation: OperationId | null;
  status: number;
  encoding: string | null;
  /** Of a page that does not say its own. */
  offset: number;
}

/** How the value of an answer is to be. */
export interface ValueForm {
  /** Numbers that JavaScript has none for are kept digit by digit (RawNumber). */
  isExact: boolean;
}

export type ReceiveRequest =
  | { kind: 'begin'; id: number; token: string; mostBytes: number }
  | { kind: 'bytes'; id: number; bytes: Uint8Array<ArrayBuffer> }
  /** All bytes go to the other end of the port, in one message; the last who reads them takes them. */
  | { kind: 'give'; id: number; port: MessagePort; isLast: boolean }
  | { kind: 'drop'; id: number };

/** So many bytes were looked at. */
export interface ReceiveReply {
  id: number;
  bytes: number;
  /** What makes the answer too large; null where nothing does. */
  found: string | null;
}

export type AnswerRequest =
  /** The bytes come through the port. */
  | { kind: 'read'; reading: Reading; port: MessagePort }
  /** The next piece of what was read. */
  | { kind: 'next' };

export type AnswerReply =
  | { kind: 'piece'; piece: JsonPiece }
  /** Further rows; the parts of the last one follow where it is long. */
  | { kind: 'rows'; rows: RowSet }
  | { kind: 'part'; part: TextPart }
  | { kind: 'done' }
  | { kind: 'failed'; error: WireError };
