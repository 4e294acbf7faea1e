/** The batches of one upload whose answers were lost, until a row count of the service decides about them. */
import type { Logger } from '../core/ports.ts';
import type { StoredBatch, UploadStore } from '../db/upload-store.ts';
import { toAppError } from '../shared/errors.ts';
import { isJudged, mayBeCounted } from './evidence.ts';
import type { UploadLedger } from './upload-ledger.ts';

interface UnknownDeps {
  ledger: UploadLedger;
  store: Pick<UploadStore, 'batches'>;
  logger: Logger;
  /** Asks the service for the row count and stores the verdict on unknown batches. */
  gatherEvidence: (ledger: UploadLedger) => Promise<void>;
}

const MAX_READ = 1_000;

export class UnknownBatches {
  readonly #deps: UnknownDeps;
  /** The batches for which a count was requested last. */
  #asked = '';
  /** Number of acknowledged batches at which the count is requested again for the same batches. The intervals grow. */
  #againAt = 0;
  #pause = 1;

  constructor(deps: UnknownDeps) {
    this.#deps = deps;
  }

  /** Rows of each batch that no count has decided about. */
  get rows(): number[] {
    return this.#unreported().map(({ rows }) => rows);
  }

  /**
   * Sizes of the batches that no count has decided about, and of those that a count did not show, because a later count
   * may.
   */
  get doubtfulRows(): number[] {
    return this.#all()
      .filter(mayBeCounted)
      .map(({ rows }) => rows);
  }

  /**
   * Requests a row count, so that decided batches no longer limit the sizes of later ones. If the count was not
   * conclusive or failed, it may be requested again once more rows are acknowledged.
   */
  async judge(): Promise<void> {
    const open = JSON.stringify(this.#unreported().map(({ batch, attempts }) => [batch, attempts]));
    const acknowledged = this.#deps.ledger.core.tallies.acknowledged.batches;
    const isSame = open === this.#asked;
    if (isSame && acknowledged < this.#againAt) return;
    this.#pause = isSame ? this.#pause * 2 : 1;
    this.#againAt = acknowledged + this.#pause;
    this.#asked = open;
    await this.gatherEvidence();
  }

  /** If it fails, the job continues. A person can request it again. */
  async gatherEvidence(): Promise<void> {
    const { gatherEvidence, ledger, logger } = this.#deps;
    await gatherEvidence(ledger).catch((problem: unknown) => {
      logger.warn('no evidence gathered', { reason: toAppError(problem).message });
    });
  }

  #unreported(): StoredBatch[] {
    return this.#all().filter((batch) => !isJudged(batch));
  }

  #all(): StoredBatch[] {
    const { ledger, store } = this.#deps;
    if (ledger.core.tallies.unknown.batches === 0) return [];
    return store.batches.list(ledger.id, ['unknown'], 0, MAX_READ);
  }
}
