/** A file with results for an experiment: what its columns are used for, and the outcome of checking all rows. */
import { type AppError, fromWire, toAppError } from '../../electron/shared/errors.ts';
import type { ItemsCheck, ItemsPlan } from '../../electron/shared/items-model.ts';
import { suggestResultColumns } from '../../electron/shared/result-columns.ts';
import { client } from '../lib/client.ts';
import { jobs } from './jobs.svelte.ts';

/** Results per request. The service publishes no maximum; if it refuses a request, the request is halved. */
const RESULTS_PER_REQUEST = 100;

interface ResultsTarget {
  experiment: { id: string; name: string };
  dataset: { id: string; name: string };
}

export class ResultsFile {
  plan = $state.raw<ItemsPlan | null>(null);
  check = $state.raw<ItemsCheck | null>(null);
  error = $state.raw<AppError | null>(null);
  isReading = $state(false);
  readonly #connectionId: string;
  readonly #target: ResultsTarget;

  constructor(connectionId: string, target: ResultsTarget) {
    this.#connectionId = connectionId;
    this.#target = target;
  }

  /** Asks for a file and reads all of it, without sending anything. False if the user chose none. */
  async choose(): Promise<boolean> {
    const [file] = await client.invoke('uploads:choose-files');
    if (file === undefined) return false;
    Object.assign(this, { plan: null, check: null, error: null });
    this.isReading = true;
    try {
      if (file.error !== null) throw fromWire(file.error);
      const connectionId = this.#connectionId;
      const { fileId, name } = file;
      const preview = await client.invoke('uploads:inspect', { connectionId, fileId, dialect: null });
      const { experiment, dataset } = this.#target;
      this.plan = {
        ...{ datasetId: dataset.id, datasetName: dataset.name, experiment, fileId, fileName: name },
        ...{ dialect: preview.dialect, columns: suggestResultColumns(preview.columns), flattens: false },
        ...{ onBadRow: 'stop', itemsPerRequest: RESULTS_PER_REQUEST },
      };
      await this.#look();
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.isReading = false;
    }
    return true;
  }

  async skipBadRows(skips: boolean): Promise<void> {
    if (this.plan === null) return;
    this.plan = { ...this.plan, onBadRow: skips ? 'skip' : 'stop' };
    await this.#look();
  }

  async #look(): Promise<void> {
    const { plan } = this;
    if (plan === null) return;
    const asked = { connectionId: this.#connectionId, kind: 'items', plan } as const;
    // The answer is of the requested kind.
    this.check = (await client.invoke('jobs:plan', asked)) as ItemsCheck;
  }

  /** Starts the job that uploads the results. Throws AppError. */
  async start(): Promise<void> {
    const { plan, check } = this;
    if (plan === null || check === null) return;
    const told = (check.addedBefore ?? []).map(({ jobId }) => jobId);
    await jobs.create('items', { items: plan, startsNow: true, told }, null);
  }
}
