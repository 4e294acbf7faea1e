/**
 * Finds the newest value. Answers and events can arrive in another order than the main process read them in: each has
 * a sequence number (`seq`), and of two values of one subject the one with the higher number is used. Pure.
 *
 *     readonly #newest = new Newest();
 *
 *     listen(): () => void {
 *       return client.on('jobs:changed', ({ job }, seq) => this.#put(job, seq));
 *     }
 *     async load(): Promise<void> {
 *       const { value, seq } = await client.ask('jobs:list', { connectionId });
 *       this.list = this.#newest.merge(value, seq, this.list, ({ jobId }) => jobId);
 *     }
 *     async control(jobId: string, action: Action): Promise<void> {
 *       const { value, seq } = await client.ask('jobs:control', { jobId, action });
 *       this.#put(value, seq);
 *     }
 *     #put(job: Job, seq: number): void {
 *       if (this.#newest.takes(seq, job.jobId)) this.list = …;
 *     }
 *     async forget(jobId: string): Promise<void> {
 *       await client.invoke('jobs:forget', { jobId });
 *       this.#newest.end(jobId);
 *     }
 *
 * A single subject needs no name: `takes(seq)`. If the user asks for something else (another filter, another page),
 * sequence numbers do not help: see `LatestRequest`.
 */
export class Newest {
  readonly #seqs = new Map<string, number>();
  #listSeq = Number.NEGATIVE_INFINITY;

  /** Whether the value is the newest one known. If so, later values are compared with it. */
  takes(seq: number, subject = ''): boolean {
    if (this.isOlder(seq, subject)) return false;
    this.#seqs.set(subject, seq);
    return true;
  }

  /**
   * Whether something newer is known: a value of the subject, a value of the whole list, or the removal of the subject.
   */
  isOlder(seq: number, subject = ''): boolean {
    return seq < this.#listSeq || seq < (this.#seqs.get(subject) ?? Number.NEGATIVE_INFINITY);
  }

  /** To be called when the subject was removed for good: later values of it are ignored. */
  end(subject: string): void {
    this.#seqs.set(subject, Number.POSITIVE_INFINITY);
  }

  /** To be called when the subject exists again. */
  begin(subject: string): void {
    this.#seqs.delete(subject);
  }

  /**
   * Merges the rows of a whole list. Each row is a subject. A row with a higher known number keeps its state; if the
   * answer lacks it, it is new and comes first. Rows that the answer lacks and that have no higher number are removed,
   * and only a higher number can restore them.
   */
  merge<T>(answer: readonly T[], seq: number, known: readonly T[], idOf: (row: T) => string): readonly T[] {
    if (seq < this.#listSeq) return known;
    this.#listSeq = seq;
    const newer = new Map(
      known
        .filter((row) => this.isOlder(seq, idOf(row)) && !this.#isEnded(idOf(row)))
        .map((row) => [idOf(row), row]),
    );
    const rows = answer.flatMap((row) => {
      const id = idOf(row);
      const kept = newer.get(id);
      newer.delete(id);
      if (kept !== undefined) return [kept];
      return this.takes(seq, id) ? [row] : [];
    });
    return [...newer.values(), ...rows];
  }

  #isEnded(subject: string): boolean {
    return this.#seqs.get(subject) === Number.POSITIVE_INFINITY;
  }

  /** To be called when other subjects are shown from now on, e.g. those of another connection. */
  clear(): void {
    this.#seqs.clear();
    this.#listSeq = Number.NEGATIVE_INFINITY;
  }
}

/**
 * Keeps only the answer to the last of several successive requests, in whatever order they are answered.
 *
 *     const isLast = this.#latest.ask();
 *     const preview = await client.invoke('uploads:inspect', { fileId, dialect });
 *     if (isLast()) this.preview = preview;
 */
export class LatestRequest {
  #asked = 0;

  /** Starts a new request. The returned function says whether it is still the last one. */
  ask(): () => boolean {
    this.#asked += 1;
    return this.still();
  }

  /** Like `ask`, but without a new request: for work that belongs to the last request. */
  still(): () => boolean {
    const mine = this.#asked;
    return () => mine === this.#asked;
  }

  /** Starts a request, and passes on its answer or error if it is still the last request. Never rejects. */
  async run<T>(
    request: () => Promise<T>,
    answered: (answer: T) => void,
    failed: (thrown: unknown) => void,
  ): Promise<void> {
    const isLast = this.ask();
    try {
      const answer = await request();
      if (isLast()) answered(answer);
    } catch (thrown) {
      if (isLast()) failed(thrown);
    }
  }

  /** Ignores the answers to all pending requests. */
  forget(): void {
    this.#asked += 1;
  }
}
