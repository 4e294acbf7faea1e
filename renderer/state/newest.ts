/**
 * Decides what is newest. Answers and events may come in another order than main read them in: each has a number
 * (`seq`) of that order, and of two values about one subject the one with the higher number holds. Pure.
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
 * Where only one thing is shown, it needs no name: `takes(seq)`. Where the person asks for something else (another
 * filter, another page), numbers say nothing: see `LastQuestion`.
 */
export class Newest {
  readonly #seqs = new Map<string, number>();
  #listSeq = Number.NEGATIVE_INFINITY;

  /** Does this value hold? Then it is what the next ones are compared with. */
  takes(seq: number, subject = ''): boolean {
    if (this.isOlder(seq, subject)) return false;
    this.#seqs.set(subject, seq);
    return true;
  }

  /** Is something newer known of the subject, or of all subjects, or that it is gone? */
  isOlder(seq: number, subject = ''): boolean {
    return seq < this.#listSeq || seq < (this.#seqs.get(subject) ?? Number.NEGATIVE_INFINITY);
  }

  /** The subject was removed for good: no value of it holds any more. */
  end(subject: string): void {
    this.#seqs.set(subject, Number.POSITIVE_INFINITY);
  }

  /** It is there again after all. */
  begin(subject: string): void {
    this.#seqs.delete(subject);
  }

  /**
   * The rows of a whole list, of which each is a subject of its own. Rows that are known from a higher number stay as
   * they are known; of those, the ones that the answer does not hold are new, and come first. A row that the answer
   * does not hold and that has no higher number is gone, and comes back only with a higher one.
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

  /** Other subjects are shown from now on, e.g. those of another connection. */
  clear(): void {
    this.#seqs.clear();
    this.#listSeq = Number.NEGATIVE_INFINITY;
  }
}

/**
 * Of questions asked one after another, only the answer to the last counts, in whatever order they are answered.
 *
 *     const isLast = this.#question.ask();
 *     const preview = await client.invoke('uploads:inspect', { fileId, dialect });
 *     if (isLast()) this.preview = preview;
 */
export class LastQuestion {
  #asked = 0;

  /** The answer says, whenever it is called, whether nothing else was asked since. */
  ask(): () => boolean {
    this.#asked += 1;
    return this.still();
  }

  /** The same without a new question: for what belongs to the one that was asked last. */
  still(): () => boolean {
    const mine = this.#asked;
    return () => mine === this.#asked;
  }

  /** Asks, and hands over the answer or the failure where it is the last one's. Never rejects. */
  async run<T>(
    question: () => Promise<T>,
    answered: (answer: T) => void,
    failed: (thrown: unknown) => void,
  ): Promise<void> {
    const isLast = this.ask();
    try {
      const answer = await question();
      if (isLast()) answered(answer);
    } catch (thrown) {
      if (isLast()) failed(thrown);
    }
  }

  /** What is under way counts no more. */
  forget(): void {
    this.#asked += 1;
  }
}
