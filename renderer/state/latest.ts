/** Of questions asked one after another, only the answer to the latest counts; earlier ones may come later. */
export class Latest {
  #asked = 0;

  /** Never rejects: a failure of the latest question goes to `failed`. */
  async ask<T>(
    question: () => Promise<T>,
    answered: (answer: T) => void,
    failed: (thrown: unknown) => void,
  ): Promise<void> {
    this.#asked += 1;
    const mine = this.#asked;
    try {
      const answer = await question();
      if (mine === this.#asked) answered(answer);
    } catch (thrown) {
      if (mine === this.#asked) failed(thrown);
    }
  }

  /** Whatever is under way counts no more. */
  forget(): void {
    this.#asked += 1;
  }
}
