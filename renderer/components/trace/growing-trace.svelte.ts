/** The tree of a trace whose spans are still coming: built a little at a time, and again once more of them are here. */
import { inPieces } from '../../lib/in-pieces.ts';
import type { JsonObject } from '../../lib/records.ts';
import { buildTrace, type TraceTree } from '../../lib/trace-tree.ts';

/** Building takes at most this part of the time while spans come. */
const SHARE = 0.25;

export class GrowingTrace {
  /** Null before the first one is built. */
  tree = $state.raw<TraceTree | null>(null);
  #read: (() => { rows: readonly JsonObject[]; unitMs: number }) | null = null;
  #isBuilding = false;
  #isStopped = false;

  /** `read`: the spans that are here by now; asked for once the tree before is built. */
  update(read: () => { rows: readonly JsonObject[]; unitMs: number }): void {
    this.#read = read;
    if (!this.#isBuilding) void this.#build();
  }

  stop(): void {
    this.#isStopped = true;
  }

  async #build(): Promise<void> {
    this.#isBuilding = true;
    for (let read = this.#read; read !== null; read = this.#read) {
      this.#read = null;
      const startedAt = performance.now();
      const { rows, unitMs } = read();
      const tree = await inPieces(buildTrace(rows, unitMs), () => this.#isStopped);
      if (tree === null) return;
      this.tree = tree;
      const tookMs = performance.now() - startedAt;
      await new Promise((resolve) => setTimeout(resolve, tookMs * (1 / SHARE - 1)));
    }
    this.#isBuilding = false;
  }
}
