/** Receives the body of one answer, with a size limit and without the token. A large body is passed on to a thread. */
import { isUtf8 } from 'node:buffer';
import { AppError } from '../shared/errors.ts';
import { SMALL_ANSWER_BYTES, SMALLER_PAGE } from './answer-bounds.ts';
import { type ByteShare, largeAnswers, paced } from './large-answers.ts';
import { type ReceivedBytes, receiveBytes } from './receive-thread.ts';
import { maskInAnswer } from './token-mask.ts';

/** A body that is too large to be read on the main thread. */
export interface LargeBody {
  bytes: ReceivedBytes;
  /** The share must be released by the caller that requested the answer, which drops the bytes. */
  share: ByteShare;
}

interface ReadBody {
  /** The text of the body; empty if it is large. */
  text: string;
  /** Whether all bytes of the body are valid UTF-8. */
  isUtf8: boolean;
  /** Present only for successful answers. */
  large: LargeBody | null;
  sizeBytes: number;
}

export interface BodyContext {
  operation: string;
  status: number;
  maxBytes: number;
  /** The token, which is masked: a service that echoes it must not bring it into a message, a row or the log. */
  token: string;
  /** Aborted when nobody waits for the answer any longer. */
  signal: AbortSignal;
}

export class AnswerBody {
  readonly #context: BodyContext;
  readonly #start: Buffer[] = [];
  #large: LargeBody | null = null;
  #sizeBytes = 0;

  constructor(context: BodyContext) {
    this.#context = context;
  }

  /** Resolves when more bytes can be taken. Throws ANSWER_TOO_LARGE. */
  async add(bytes: Buffer): Promise<void> {
    const { status, maxBytes } = this.#context;
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes > maxBytes) {
      throw this.#tooLarge(`is larger than ${Math.round(maxBytes / 1_048_576)} MB`);
    }
    if (this.#sizeBytes <= SMALL_ANSWER_BYTES) this.#start.push(bytes);
    else if (isSuccess(status)) await this.#addLarge(bytes);
  }

  /** Discards an incomplete body. */
  giveUp(): void {
    this.#large?.share.letGo();
  }

  /** Throws ANSWER_TOO_LARGE. */
  async end(): Promise<ReadBody> {
    const sizeBytes = this.#sizeBytes;
    if (this.#large !== null) {
      this.#check(await this.#large.bytes.end());
      return { text: '', isUtf8: true, large: this.#large, sizeBytes };
    }
    // A large error text is dropped, because it contains nothing useful for a person.
    if (sizeBytes > SMALL_ANSWER_BYTES) return { text: '', isUtf8: true, large: null, sizeBytes };
    // A byte-order mark is not part of the text.
    const bytes = Buffer.concat(this.#start);
    const text = maskInAnswer(bytes.toString('utf8').replace(/^\uFEFF/, ''), this.#context.token);
    return { text, isUtf8: isUtf8(bytes), large: null, sizeBytes };
  }

  async #addLarge(bytes: Buffer): Promise<void> {
    const { token, signal, maxBytes } = this.#context;
    this.#large ??= beginLarge(token, maxBytes);
    const { share } = this.#large;
    for (const part of [...this.#start.splice(0), bytes]) {
      await share.grow(part.length, signal);
      await paced(part.length);
      this.#check(await this.#large.bytes.add(part));
    }
  }

  #check(found: string | null): void {
    if (found !== null) throw this.#tooLarge(`contains ${found}`);
  }

  #tooLarge(what: string): AppError {
    const { operation, status } = this.#context;
    const message = `${operation}: the answer ${what}.`;
    return new AppError('ANSWER_TOO_LARGE', message, {
      operation,
      status,
      outcome: 'unknown',
      nextStep: SMALLER_PAGE,
    });
  }
}

function beginLarge(token: string, mostBytes: number): LargeBody {
  const bytes = receiveBytes(token, mostBytes);
  return { bytes, share: largeAnswers.enter(() => bytes.drop()) };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
