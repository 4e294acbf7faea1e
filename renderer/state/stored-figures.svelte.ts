/** Figures of the experiments of a list whose results are all stored here: without a request, one after another. */
import { SvelteMap } from 'svelte/reactivity';
import type { ScoreFigures } from '../../electron/shared/score-comparison.ts';
import { client as realClient } from '../lib/client.ts';
import { RunFigures } from './run-comparison.svelte.ts';

export class StoredFigures {
  readonly #connectionId: string;
  readonly #client: Pick<typeof realClient, 'invoke'>;
  readonly #known = new SvelteMap<string, RunFigures>();
  /** Ids of visible rows that are not read yet; the one reader takes them from here, the first one shown first. */
  readonly #wanted = new Set<string>();
  #reader: Promise<void> | null = null;

  constructor(connectionId: string, client: Pick<typeof realClient, 'invoke'> = realClient) {
    this.#connectionId = connectionId;
    this.#client = client;
  }

  /** The figures of a score; null until they are read, without all results and for labels alone. Reactive. */
  of(experimentId: string, evaluator: string, name: string): ScoreFigures | null {
    const scores = this.#known.get(experimentId)?.scores ?? [];
    const own = scores.find(
      (each) => each.name === name && (evaluator === '' || each.evaluators.includes(evaluator)),
    );
    return own?.runs[0]?.figures ?? null;
  }

  /** Why the figures of an experiment could not be read; empty if they could. Reactive. */
  problemOf(experimentId: string): string {
    return this.#known.get(experimentId)?.error?.message ?? '';
  }

  /** A row became visible: its figures are read once. Call the answer when it is visible no longer. */
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

  /** Reads no further ones. */
  stop(): void {
    this.#wanted.clear();
  }

  async #readWanted(): Promise<void> {
    // Several rows become visible at once.
    await Promise.resolve();
    for (const id of this.#wanted) {
      this.#wanted.delete(id);
      const figures = new RunFigures();
      await figures.read(this.#connectionId, id, this.#client);
      this.#known.set(id, figures);
    }
  }
}
