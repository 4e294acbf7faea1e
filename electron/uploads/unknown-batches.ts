/** The batches of one upload whose answers were lost, until a row count of the service tells what became of them. */
import type { Logger } from '../core/ports.ts';
import type { StoredBatch, UploadStore } from '../db/upload-store.ts';
import { toAppError } from '../shared/errors.ts';
import { isJudged, mayBeCounted } from './evidence.ts';
import type { UploadLedger } from './upload-ledger.ts';

interface UnknownDeps {
  ledger: UploadLedger;
  store: Pick<UploadStore, 'batches'>;
  logger: Logger;
  /** Asks the service for the row count and stores what it says about unknown batches. */
  gatherEvidence: (ledger: UploadLedger) => Promise<void>;
}

const MOST_READ = 1_000;

export class UnknownBatches {
  readonly #deps: UnknownDeps;
  /** Those that a count was last asked for. */
  #asked = '';
  /** For the same ones it is asked again once so many batches are acknowledged: more and more seldom. */
  #againAt = 0;
  #pause = 1;

  constructor(deps: UnknownDeps) {
    this.#deps = deps;
  }

  /** Rows of each that no count has told yet. */
  get rows(): number[] {
    return this.#untold().map(({ rows }) => rows);
  }

  /** Those, and rows of each that a count did not show: a later one may. */
  get doubtfulRows(): number[] {
    return this.#all()
      .filter(mayBeCounted)
      .map(({ rows }) => rows);
  }

  /**
   * Asks what became of them: then they leave later ones to be told apart. A count that did not tell, or did not come,
   * may tell once later rows are counted.
   */
  async judge(): Promise<void> {
    const open = JSON.stringify(this.#untold().map(({ batch, attempts }) => [batch, attempts]));
    const acknowledged = this.#deps.ledger.core.tallies.acknowledged.batches;
    const isSame = open === this.#asked;
    if (isSame && acknowledged < this.#againAt) return;
    this.#pause = isSame ? this.#pause * 2 : 1;
    this.#againAt = acknowledged + this.#pause;
    this.#asked = open;
    await this.gatherEvidence();
  }

  /** Without it the job goes on, and a person can ask again. */
  async gatherEvidence(): Promise<void> {
    const { gatherEvidence, ledger, logger } = this.#deps;
    await gatherEvidence(ledger).catch((problem: unknown) => {
      logger.warn('no evidence gathered', { reason: toAppError(problem).message });
    });
  }

  #untold(): StoredBatch[] {
    return this.#all().filter((batch) => !isJudged(batch));
  }

  #all(): StoredBatch[] {
    const { ledger, store } = this.#deps;
    if (ledger.core.tallies.unknown.batches === 0) return [];
    return store.batches.list(ledger.id, ['unknown'], 0, MOST_READ);
  }
}
