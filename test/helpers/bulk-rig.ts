/** Changes of several records with a real store and a real service, without a window. */
import { isOperationId } from '../../electron/api/endpoints.ts';
import { createBulk } from '../../electron/bulk/bulk.ts';
import type { Bulk } from '../../electron/bulk/types.ts';
import type { Clock } from '../../electron/core/ports.ts';
import { systemIdentity } from '../../electron/db/process-identity.ts';
import { openUploadStore, type UploadStore } from '../../electron/db/upload-store.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { readOf } from '../../electron/resources/change-check.ts';
import { createResources } from '../../electron/resources/resources.ts';
import type { Resources } from '../../electron/resources/types.ts';
import type { BulkAct, BulkRequest } from '../../electron/shared/bulk-contract.ts';
import type { AppError } from '../../electron/shared/errors.ts';
import type { DataFolder } from './data-folder.ts';
import { LibraryRig } from './library-rig.ts';
import { silentLogger } from './virtual-world.ts';

export const BASELINES: BulkRequest = {
  operation: 'baselines.delete',
  path: {},
  query: {},
  body: null,
  ids: { place: 'path', name: 'baseline_id' },
};

export interface BulkRigOptions {
  baseUrl: string;
  token: string;
  folder: DataFolder;
  /** How far the wall time is ahead at present, in ms. */
  aheadMs?: () => number;
  blockingError?: () => AppError | null;
  /** Time in ms until one more request of an operation would be sent. Default: none. */
  waitMs?: (operation: string) => number;
  /** Factor by which waits, polls and grace periods are shortened. Requests take their real time. */
  haste?: number;
  wrapResources?: (resources: Resources) => Resources;
}

export class BulkRig implements AsyncDisposable {
  readonly library: LibraryRig;
  readonly resources: Resources;
  readonly store: UploadStore;
  readonly bulk: Bulk & { suspend(error: AppError): void };
  readonly heard: BulkAct[] = [];

  constructor(options: BulkRigOptions) {
    const { baseUrl, token, folder, aheadMs, blockingError, waitMs, wrapResources, haste = 500 } = options;
    this.library = new LibraryRig(baseUrl, { token });
    const clock: Clock = {
      ...systemClock,
      nowMs: () => systemClock.nowMs() + (aheadMs?.() ?? 0),
      setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / haste),
    };
    this.resources = createResources({
      client: this.library.clientRig.client,
      library: this.library.library,
      clock: systemClock,
      logger: silentLogger,
      onJobChanged: () => undefined,
    });
    this.store = openUploadStore({ file: folder.file('uploads.db'), clock, logger: silentLogger });
    const { pid, isRunning } = systemIdentity();
    this.bulk = createBulk({
      connectionId: 'c',
      store: this.store,
      resources: wrapResources?.(this.resources) ?? this.resources,
      clock,
      random: systemRandom,
      logger: silentLogger,
      process: { pid, isRunning },
      durationMs: () => 0,
      readOf: (operation) => (isOperationId(operation) ? readOf(operation) : null),
      waitMs: waitMs ?? (() => 0),
      blockingError: blockingError ?? (() => null),
      onChanged: (act) => this.heard.push(act),
    });
  }

  /** Starts to delete baselines, or plans it. */
  delete(ids: readonly string[], startAtMs: number | null = null): Promise<BulkAct> {
    return this.bulk.create({
      request: BASELINES,
      words: {
        title: `Delete ${ids.length} baselines`,
        noun: 'baseline',
        nouns: 'baselines',
        going: 'Deleting',
        done: 'deleted',
      },
      records: ids.map((id) => ({ id, name: id })),
      startAtMs,
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.bulk.stop();
    await this.resources.stop();
    await this.library[Symbol.asyncDispose]();
    this.store.close();
  }
}
