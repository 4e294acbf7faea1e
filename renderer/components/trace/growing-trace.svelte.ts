/**
 * The tree of a trace whose spans are still arriving: built in small steps, and rebuilt when more of them are
 * loaded.
 */
import { inPieces } from '../../lib/in-pieces.ts';
import { nextTask } from '../../lib/next-task.ts';
import { buildTrace, type SpanHead, type TraceTree } from '../../lib/trace-tree.ts';

/** Maximum share of the time that is spent on building while spans arrive. */
const SHARE = 0.25;

export class GrowingTrace {
  /** Null until the first tree is built. */
  tree = $state.raw<TraceTree | null>(null);
  #read: (() => { spans: readonly SpanHead[]; unitMs: number }) | null = null;
  #isBuilding = false;
  #isStopped = false;

  /**
   * `read`: returns the spans loaded so far. It is called when the previous tree is built, unless building was stopped.
   */
  update(read: () => { spans: readonly SpanHead[]; unitMs: number }): void {
    this.#read = read;
    if (!this.#isBuilding) void this.#build();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #build(): Promise<void> {
    this.#isBuilding = true;
    for (let read = this.#read; read !== null && !this.#isStopped; read = this.#read) {
      this.#read = null;
      const startedAt = performance.now();
      const { spans, unitMs } = read();
      const tree = await inPieces(buildTrace(spans, unitMs), () => this.#isStopped);
      if (tree === null) return;
      const tookMs = performance.now() - startedAt;
      // Drawing the tree is enough work for one task.
      await nextTask();
      this.tree = tree;
      await nextTask(tookMs * (1 / SHARE - 1));
    }
    this.#isBuilding = false;
  }
}
