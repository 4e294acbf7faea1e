/** Runs the thread that holds the bytes of large answers, from the main thread, which only passes them on. */
import { type MessagePort, Worker } from 'node:worker_threads';
import { detached } from '../shared/detached.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { scriptPath } from '../shared/script-path.ts';
import type { ReceiveReply, ReceiveRequest } from './answer-protocol.ts';

/**
 * Maximum number of bytes of one answer that were sent to the thread but not scanned yet. It limits how late an
 * oversized answer is detected.
 */
const MAX_AHEAD_BYTES = 262_144;
/** Size of the young generation. All objects of this thread are short-lived. */
const MAX_YOUNG_MB = 4;
/** Number of bytes after which the thread is ended, to free memory that its garbage collector would keep. */
const MAX_RECEIVED_BYTES = 8_388_608;

/** The bytes of one answer. */
export class ReceivedBytes {
  readonly id: number;
  readonly #thread: ReceiveThread;
  #ahead = 0;
  #found: string | null = null;
  #failure: AppError | null = null;
  #waiting: { most: number; settle: () => void } | null = null;

  constructor(thread: ReceiveThread, id: number) {
    this.#thread = thread;
    this.id = id;
  }

  /**
   * Adds bytes. Resolves when more can be taken, with the reason why the answer is too large, or null. Rejects if the
   * thread has ended.
   */
  add(bytes: Uint8Array): Promise<string | null> {
    // Copied, because the connection's buffer may contain more than these bytes.
    const own = Uint8Array.from(bytes);
    this.#ahead += own.length;
    this.#thread.post({ kind: 'bytes', id: this.id, bytes: own }, [own.buffer]);
    return this.#until(MAX_AHEAD_BYTES);
  }

  /** Like `add` without bytes, but resolves once all added bytes are scanned. */
  end(): Promise<string | null> {
    return this.#until(0);
  }

  /** Sends all bytes to the other end of a port. For the last reader they are transferred without a copy. */
  give(port: MessagePort, isLast: boolean): void {
    if (this.#failure !== null) port.close();
    else this.#thread.post({ kind: 'give', id: this.id, port, isLast }, [port]);
  }

  drop(): void {
    this.#thread.drop(this);
  }

  looked({ bytes, found }: ReceiveReply): void {
    this.#ahead -= bytes;
    this.#found ??= found;
    if (this.#waiting !== null && this.#ahead <= this.#waiting.most) this.#settle();
  }

  fail(error: AppError): void {
    this.#failure ??= error;
    this.#settle();
  }

  async #until(most: number): Promise<string | null> {
    if (this.#ahead > most && this.#failure === null) {
      this.#thread.wait(1);
      await new Promise<void>((settle) => {
        this.#waiting = { most, settle };
      });
    }
    if (this.#failure !== null) throw this.#failure;
    return this.#found;
  }

  #settle(): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting === null) return;
    this.#thread.wait(-1);
    waiting.settle();
  }
}

class ReceiveThread {
  readonly #worker: Worker;
  readonly #answers = new Map<number, ReceivedBytes>();
  #lastId = 0;
  #received = 0;
  #waiting = 0;
  #hasEnded = false;

  constructor() {
    const file = new URL(scriptPath('./receive-worker.ts', import.meta.url), import.meta.url);
    this.#worker = new Worker(file, {
      name: 'received answers',
      resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_MB },
    });
    this.#worker.on('message', (reply: ReceiveReply) => this.#answers.get(reply.id)?.looked(reply));
    // Called after the listener was added, because the listener would otherwise keep the program from ending.
    this.#worker.unref();
    this.#worker.on('error', (problem) => this.#end(toAppError(problem)));
    this.#worker.on('exit', () =>
      this.#end(new AppError('INTERNAL', 'The thread that has the bytes of answers has ended.')),
    );
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  begin(token: string, mostBytes: number): ReceivedBytes {
    this.#lastId += 1;
    const answer = new ReceivedBytes(this, this.#lastId);
    this.#answers.set(answer.id, answer);
    this.post({ kind: 'begin', id: answer.id, token, mostBytes }, []);
    return answer;
  }

  post(request: ReceiveRequest, transferred: (ArrayBuffer | MessagePort)[]): void {
    if (request.kind === 'bytes') this.#received += request.bytes.length;
    this.#worker.postMessage(request, transferred);
  }

  /** Keeps the program from ending while something waits for the thread. */
  wait(change: 1 | -1): void {
    this.#waiting += change;
    if (this.#waiting > 0) this.#worker.ref();
    else this.#worker.unref();
  }

  drop({ id }: ReceivedBytes): void {
    if (!this.#answers.delete(id)) return;
    if (this.#answers.size > 0 || this.#received <= MAX_RECEIVED_BYTES) {
      this.post({ kind: 'drop', id }, []);
      return;
    }
    this.end();
  }

  get isInUse(): boolean {
    return this.#answers.size > 0;
  }

  end(): void {
    this.#hasEnded = true;
    detached('ending the thread of large answers', this.#worker.terminate());
  }

  #end(error: AppError): void {
    this.#hasEnded = true;
    for (const answer of this.#answers.values()) answer.fail(error);
    this.#answers.clear();
  }
}

let thread: ReceiveThread | null = null;

/** Begins an answer that is too large to be read on the main thread. Its owner must call `drop` at the end. */
export function receiveBytes(token: string, mostBytes: number): ReceivedBytes {
  if (thread === null || thread.hasEnded) thread = new ReceiveThread();
  return thread.begin(token, mostBytes);
}

/** Ends the thread. Returns false if it is in use. The next answer starts another one. */
export function endReceiveThread(): boolean {
  if (thread?.isInUse === true) return false;
  if (thread?.hasEnded === false) thread.end();
  thread = null;
  return true;
}
