/** What the main thread and the thread that reads large answers say to each other. */
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

export type AnswerRequest =
  | { kind: 'bytes'; bytes: Uint8Array<ArrayBuffer> }
  /** The bytes that came are all. */
  | { kind: 'read'; reading: Reading }
  /** The next piece of what was read. */
  | { kind: 'next' };

export type AnswerReply =
  | { kind: 'piece'; piece: JsonPiece }
  /** Further rows; the parts of the last one follow where it is long. */
  | { kind: 'rows'; rows: RowSet }
  | { kind: 'part'; part: TextPart }
  | { kind: 'done' }
  | { kind: 'failed'; error: WireError };
