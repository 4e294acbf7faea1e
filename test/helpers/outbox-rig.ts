/** The outbox with a real store and a real service, but without a window. */
import type { Clock } from '../../electron/core/ports.ts';
import { systemIdentity } from '../../electron/db/process-identity.ts';
import { openUploadStore, type UploadStore } from '../../electron/db/upload-store.ts';
import { createOutbox } from '../../electron/outbox/outbox.ts';
import type { Outbox } from '../../electron/outbox/types.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { createResources } from '../../electron/resources/resources.ts';
import type { Resources } from '../../electron/resources/types.ts';
import type { AppError } from '../../electron/shared/errors.ts';
import type { JsonObject } from '../../electron/shared/json-body.ts';
import type { OutboxEntry } from '../../electron/shared/outbox-model.ts';
import type { DataFolder } from './data-folder.ts';
import { LibraryRig } from './library-rig.ts';
import { silentLogger } from './virtual-world.ts';

interface OutboxRigOptions {
  baseUrl: string;
  token: string;
  folder: DataFolder;
  /** How far the wall time is ahead, in ms. */
  aheadMs?: number;
  blockingError?: () => AppError | null;
  wrapResources?: (resources: Resources) => Resources;
}

export class OutboxRig implements AsyncDisposable {
  readonly #library: LibraryRig;
  readonly #resources: Resources;
  readonly #store: UploadStore;
  readonly outbox: Outbox;

  constructor({ baseUrl, token, folder, aheadMs = 0, blockingError, wrapResources }: OutboxRigOptions) {
    this.#library = new LibraryRig(baseUrl, { token });
    const clock: Clock = {
      ...systemClock,
      nowMs: () => systemClock.nowMs() + aheadMs,
      // Waits are shortened. Requests take their real time.
      setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / 100),
    };
    this.#resources = createResources({
      client: this.#library.clientRig.client,
      library: this.#library.library,
      clock: systemClock,
      logger: silentLogger,
      onJobChanged: () => undefined,
    });
    this.#store = openUploadStore({ file: folder.file('uploads.db'), clock, logger: silentLogger });
    const { pid, isRunning } = systemIdentity();
    this.outbox = createOutbox({
      connectionId: 'c',
      store: this.#store,
      resources: wrapResources?.(this.#resources) ?? this.#resources,
      clock,
      random: systemRandom,
      logger: silentLogger,
      process: { pid, isRunning },
      waitMs: () => 0,
      blockingError: blockingError ?? (() => null),
      sendsWhenBack: () => false,
      onChanged: () => undefined,
    });
  }

  put(
    operation: string,
    {
      path = {},
      body = null,
      base = null,
    }: Partial<Record<'body' | 'base', JsonObject | null>> & { path?: Record<string, string> },
  ): string {
    return this.outbox.put({ request: { operation, path, query: {}, body }, base }, null).entryId;
  }

  /** Sends a change, and waits until it is finished or suspended. */
  async send(entryId: string): Promise<OutboxEntry> {
    this.outbox.send(entryId);
    return this.outbox.whenIdle(entryId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.outbox.stop();
    await this.#resources.stop();
    await this.#library[Symbol.asyncDispose]();
    this.#store.close();
  }
}
