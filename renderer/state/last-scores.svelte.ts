/** The last score of each dataset in a list, from the score runs on this computer, without a request. */
import { SvelteMap } from 'svelte/reactivity';
import type { ScoreFigures } from '../../electron/shared/score-comparison.ts';
import type { ScoreRun } from '../../electron/shared/score-model.ts';
import { DatasetScores } from './scores.svelte.ts';

interface LastScore {
  run: ScoreRun;
  /** Name of the score that is described, if the run has several. */
  name: string | null;
  /** Null until the figures are read, and for a run without numbers. */
  figures: ScoreFigures | null;
}

export class LastScores {
  readonly #make: (datasetId: string) => DatasetScores;
  readonly #held = new SvelteMap<string, DatasetScores>();

  constructor(
    connectionId: string,
    make = (datasetId: string) => new DatasetScores(connectionId, datasetId),
  ) {
    this.#make = make;
  }

  /** The newest run that scored an item, with its figures; null if there is none. Reactive. */
  of(datasetId: string): LastScore | null {
    const scores = this.#held.get(datasetId);
    const run = scores?.runs.find(({ counts }) => counts.scored > 0);
    if (scores === undefined || run === undefined) return null;
    const known = scores.figuresOf(run);
    return { run, name: known?.name ?? null, figures: known?.figures ?? null };
  }

  /** Reads the runs of a dataset once; later changes are followed. */
  show(datasetId: string): void {
    if (datasetId === '' || this.#held.has(datasetId)) return;
    const scores = this.#make(datasetId);
    this.#held.set(datasetId, scores);
    void scores.open();
  }

  /** Reads the figures of a run that `of` returned without them. */
  read({ run }: LastScore): void {
    void this.#held.get(run.plan.datasetId)?.readFigures([run]);
  }

  stop(): void {
    for (const scores of this.#held.values()) scores.dispose();
  }
}
