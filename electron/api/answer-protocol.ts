/** What the main thread and the thread that reads large answers say to each other. */
import type { WireError } from '../shared/errors.ts';
import type { OperationId } from './endpoints.ts';
import type { JsonPiece } from './json-pieces.ts';

/** How an answer is read: as one would be that is small. */
export interface Reading {
  /** `raw` has no operation. */
  kind: 'page' | 'value' | 'raw';
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
  | { kind: 'bytes'; bytes: Uint8Array }
  /** The bytes that came are all. */
  | { kind: 'read'; reading: Reading }
  /** The next piece of what was read. */
  | { kind: 'next' };

export type AnswerReply =
  | { kind: 'piece'; piece: JsonPiece }
  | { kind: 'done' }
  | { kind: 'failed'; error: WireError };
