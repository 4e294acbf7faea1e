/** Limits the bytes of large answers in flight, over all connections. Beyond a limit, the younger answers wait. */

/** The bytes of one answer, from the time when it becomes large until it is read or discarded. */
export class ByteShare {
  readonly #room: ByteRoom;
  readonly #onLeft: () => void;
  #bytes = 0;
  #holders = 1;

  constructor(room: ByteRoom, onLeft: () => void) {
    this.#room = room;
    this.#onLeft = onLeft;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when more bytes can be taken; null if they can be now. Rejects with the reason of the signal. */
  grow(bytes: number, signal: AbortSignal): Promise<void> | null {
    const grown = (): void => {
      this.#bytes += bytes;
    };
    return this.#room.ask(this, bytes, grown, signal);
  }

  /** Adds a reader. Each reader, and the original caller, must call `letGo` once. */
  hold(): void {
    this.#holders += 1;
  }

  /** True if no other reader is left. */
  get isLast(): boolean {
    return this.#holders === 1;
  }

  letGo(): void {
    this.#holders -= 1;
    if (this.#holders !== 0) return;
    this.#room.leave(this);
    this.#onLeft();
  }
}

interface Waiting {
  bytes: number;
  grow: () => void;
  begin: () => void;
}

export class ByteRoom {
  readonly #most: number;
  /** The shares with what each waits for, the oldest first. */
  readonly #shares = new Map<ByteShare, Waiting | null>();

  constructor(most: number) {
    this.#most = most;
  }

  /** `onLeft`: called when the last holder has released the share. */
  enter(onLeft: () => void = () => undefined): ByteShare {
    const share = new ByteShare(this, onLeft);
    this.#shares.set(share, null);
    return share;
  }

  get bytes(): number {
    let sum = 0;
    for (const share of this.#shares.keys()) sum += share.bytes;
    return sum;
  }

  ask(share: ByteShare, bytes: number, grow: () => void, signal: AbortSignal): Promise<void> | null {
    if (this.#fits(share, bytes)) {
      grow();
      return null;
    }
    return this.#wait(share, { bytes, grow }, signal);
  }

  leave(share: ByteShare): void {
    this.#shares.delete(share);
    for (const [each, waiting] of this.#shares) {
      if (waiting === null || !this.#fits(each, waiting.bytes)) continue;
      this.#shares.set(each, null);
      waiting.grow();
      waiting.begin();
    }
  }

  /** The oldest answer always continues, so that none waits forever: each becomes the oldest at some point. */
  #fits(share: ByteShare, bytes: number): boolean {
    const [oldest] = this.#shares.keys();
    return share === oldest || this.bytes + bytes <= this.#most;
  }

  async #wait(share: ByteShare, wanted: Omit<Waiting, 'begin'>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const stop = (): void => {
      if (this.#shares.has(share)) this.#shares.set(share, null);
      reject(signal.reason);
    };
    this.#shares.set(share, { ...wanted, begin: resolve });
    signal.addEventListener('abort', stop);
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}

/**
 * Maximum number of bytes of the younger answers. Together with the oldest one of up to 64 MB, they use less than 80
 * MB.
 */
const MAX_BYTES = 16_777_216;

export const largeAnswers = new ByteRoom(MAX_BYTES);

/** Maximum number of bytes processed per turn, over all answers. Processing them takes 1 or 2 ms. */
const BYTES_A_TURN = 131_072;
let bytesOfTurn = 0;
let nextTurn: Promise<void> | null = null;

/** Resolves when this many bytes may be processed without blocking the main thread for long. */
export async function paced(bytes: number): Promise<void> {
  while (bytesOfTurn >= BYTES_A_TURN) {
    nextTurn ??= new Promise((resolve) => {
      setImmediate(() => {
        nextTurn = null;
        bytesOfTurn = 0;
        resolve();
      });
    });
    await nextTurn;
  }
  bytesOfTurn += bytes;
}
