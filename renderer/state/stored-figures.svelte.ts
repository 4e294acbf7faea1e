/**
 * Figures of the experiments in a list whose results are all stored here. They are computed one after another, without
 * a request.
 */
import { SvelteMap } from 'svelte/reactivity';
import type { ScoreSummary } from '../../electron/shared/experiment-result.ts';
import type { ScoreFigures } from '../../electron/shared/score-comparison.ts';
import type { Interval } from '../../electron/shared/wilson.ts';
import { client as realClient } from '../lib/client.ts';
import { RunFigures } from './run-comparison.svelte.ts';

export class StoredFigures {
  readonly #connectionId: string;
  readonly #client: Pick<typeof realClient, 'invoke'>;
  readonly #known = new SvelteMap<string, RunFigures>();
  /** Ids of visible rows that are not read yet, in the order in which they became visible. There is one reader. */
  readonly #wanted = new Set<string>();
  #reader: Promise<void> | null = null;

  constructor(connectionId: string, client: Pick<typeof realClient, 'invoke'> = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
  }

  /**
   * The figures of a score; null until they are read, if results are missing, or if there are only labels. Reactive.
   */
  of(experimentId: string, evaluator: string, name: string): ScoreFigures | null {
    const scores = this.#known.get(experimentId)?.scores ?? [];
    const own = scores.find(
      (each) => each.name === name && (evaluator === '' || each.evaluators.includes(evaluator)),
    );
    return own?.runs[0]?.figures ?? null;
  }

  /** The interval of a mean of the service; null unless it was computed from the same results. Reactive. */
  intervalOf(experimentId: string, { evaluator, name, mean }: ScoreSummary): Interval | null {
    const interval = this.of(experimentId, evaluator, name)?.after.interval ?? null;
    if (interval === null || mean === null) return null;
    const [low, high] = interval;
    return mean < low || mean > high ? null : interval;
  }

  /** The reason why the figures of an experiment could not be read; empty if there is none. Reactive. */
  problemOf(experimentId: string): string {
    return this.#known.get(experimentId)?.error?.message ?? '';
  }

  /**
   * Reads the figures of a row that became visible, once. The returned function must be called when the row is no
   * longer visible.
   */
  show(experimentId: string): () => void {
    if (!this.#known.has(experimentId)) {
      this.#wanted.add(experimentId);
      this.#reader ??= this.#readWanted().finally(() => {
        this.#reader = null;
      });
    }
    return () => this.#wanted.delete(experimentId);
  }

  /** Reads all known figures again. */
  async refresh(): Promise<void> {
    for (const [id, figures] of this.#known) await figures.read(this.#connectionId, id, this.#client);
  }

  /** Stops reading: no further figures are read. */
  stop(): void {
    this.#wanted.clear();
  }

  async #readWanted(): Promise<void> {
    // Waits, because several rows become visible at the same time.
    await Promise.resolve();
    for (const id of this.#wanted) {
      this.#wanted.delete(id);
      const figures = new RunFigures();
      await figures.read(this.#connectionId, id, this.#client);
      this.#known.set(id, figures);
    }
  }
}
