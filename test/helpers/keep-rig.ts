/** Offline data with a real store, a real library and a real service, but without a window. */
import type { ServiceClient } from '../../electron/api/types.ts';
import type { Foreground } from '../../electron/core/foreground.ts';
import type { Clock, Random } from '../../electron/core/ports.ts';
import { systemIdentity } from '../../electron/db/process-identity.ts';
import type { ShareWindow } from '../../electron/keep/budget-share.ts';
import { createKeep } from '../../electron/keep/keep.ts';
import { cutOff } from '../../electron/keep/offline-test.ts';
import type { Keep } from '../../electron/keep/types.ts';
import { createLibrary } from '../../electron/library/library.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import type { AppError } from '../../electron/shared/errors.ts';
import type { KeepPlan, Kept } from '../../electron/shared/keep-model.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { DataFolder } from './data-folder.ts';
import { CONNECTION_ID, LibraryRig } from './library-rig.ts';
import { silentLogger } from './virtual-world.ts';

const nothing = () => undefined;

export interface KeepRigOptions {
  baseUrl: string;
  token: string;
  folder: DataFolder;
  blockingError?: () => AppError | null;
  windows?: readonly ShareWindow[];
  wrapClient?: (client: ServiceClient) => ServiceClient;
  setTimer?: Clock['setTimer'];
  foreground?: Foreground;
  random?: Random;
}

export const planFor = (plan: Pick<KeepPlan, 'kind' | 'id'> & Partial<KeepPlan>): KeepPlan => ({
  name: 'Kept',
  range: null,
  withValues: false,
  entities: null,
  body: null,
  ...plan,
});

export class KeepRig implements AsyncDisposable {
  readonly library: LibraryRig;
  readonly keep: Keep;
  readonly heard: Kept[] = [];
  keepShare = 1;
  /** The reason why planned reads wait for the computer; null if they do not. */
  heldBy: string | null = null;

  constructor(options: KeepRigOptions) {
    const {
      baseUrl,
      token,
      folder,
      blockingError,
      windows = [],
      wrapClient,
      setTimer,
      foreground,
      random,
    } = options;
    const shared = foreground === undefined ? {} : { foreground };
    this.library = new LibraryRig(baseUrl, { token, folder, ...shared });
    const { store, settings, clientRig } = this.library;
    const client = wrapClient?.(clientRig.client) ?? clientRig.client;
    const clock = {
      ...systemClock,
      nowMs: () => systemClock.nowMs() + this.library.aheadMs,
      setTimer: setTimer ?? systemClock.setTimer,
    };
    const cut = { ...client, list: cutOff, call: cutOff, rows: cutOff, request: cutOff };
    this.keep = createKeep({
      connectionId: CONNECTION_ID,
      store: store.kept,
      library: this.library.library,
      cutLibrary: () =>
        createLibrary({
          ...{ connectionId: CONNECTION_ID, store, client: cut, clock, logger: silentLogger },
          settings: () => settings,
          openTabIds: () => this.library.openTabIds,
          sidecars: this.library.sidecars,
          onListChanged: nothing,
          onRecordChanged: nothing,
        }),
      client,
      clock,
      random: random ?? systemRandom,
      logger: silentLogger,
      process: systemIdentity(),
      settings: () => ({ ...settings, keepShare: this.keepShare }),
      openTabIds: () => this.library.openTabIds,
      windowsOf: () => windows,
      blockingError: blockingError ?? (() => null),
      heldBy: () => this.heldBy,
      onChanged: (kept) => this.heard.push(kept),
      onDropped: () => undefined,
    });
  }

  /** Starts an entry, and waits until it is finished or suspended. */
  async kept(plan: KeepPlan): Promise<Kept> {
    return this.keep.whenIdle(this.keep.start(plan, null).keptId);
  }

  /** Every row of a list as stored on disk, read without the service. */
  async stored(query: ListQuery): Promise<unknown[]> {
    const rows: unknown[] = [];
    for (let from = 0; ; ) {
      const page = await this.library.library.readStored(query, from, 200);
      const last = page.at(-1);
      if (last === undefined) return rows;
      rows.push(...page.map(({ record }) => record));
      from = last.position + 1;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.keep.stop();
    await this.library[Symbol.asyncDispose]();
  }
}
