/** The upload engine with a real store and a real service, but without a window. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceClient } from '../../electron/api/types.ts';
import type { Foreground } from '../../electron/core/foreground.ts';
import type { Clock } from '../../electron/core/ports.ts';
import { openUploadStore, type UploadStore } from '../../electron/db/upload-store.ts';
import { systemClock, systemRandom } from '../../electron/platform/system.ts';
import { createResources } from '../../electron/resources/resources.ts';
import type { Resources } from '../../electron/resources/types.ts';
import type { FaultRule } from '../../electron/sample-service/faults.ts';
import { planColumns } from '../../electron/shared/column-plan.ts';
import type { AppError } from '../../electron/shared/errors.ts';
import type { DryRun, EventDeletion, UploadJob, UploadPlan } from '../../electron/shared/upload-model.ts';
import type { WholeFile } from '../../electron/shared/whole-file-contract.ts';
import type { UploadOptions, Uploads, UploadsDeps } from '../../electron/uploads/types.ts';
import { createUploads } from '../../electron/uploads/uploads.ts';
import { type ClientRig, openClient } from './client-rig.ts';
import { Notices } from './notices.ts';
import { type OpenFiles, openFiles } from './open-files.ts';
import { silentLogger } from './virtual-world.ts';

export const CONNECTION_ID = '7f1f2a38-9f7e-4c6e-8f0a-2f4f0a2b9c11';

export interface UploadRigOptions {
  baseUrl: string;
  token: string;
  /** Folder with the store and the files. If absent, a new one is created. */
  folder?: string;
  options?: Partial<UploadOptions>;
  /** Factor by which timers are shortened. */
  haste?: number;
  /** Factor by which the scheduler's waits are shortened, for a service without limits. */
  schedulerHaste?: number;
  /** How far the wall time is ahead at present, in ms. */
  aheadMs?: () => number;
  /** Wraps the client or the store, to observe calls or to inject faults. */
  wrapClient?: (client: ServiceClient) => ServiceClient;
  wrapStore?: (store: UploadStore) => UploadStore;
  /** The reason why nothing may be sent; null if something may. */
  blockingError?: () => AppError | null;
  foreground?: Foreground;
  connection?: UploadsDeps['connection'];
}

function hasty(haste: number, aheadMs: () => number): Clock {
  const nowMs = () => systemClock.nowMs() + aheadMs();
  return {
    ...systemClock,
    nowMs,
    setTimer: (callback, delayMs) => systemClock.setTimer(callback, delayMs / haste),
  };
}

/** A fault for one request that publishes events; by default for the first. */
export const publishFault = (action: FaultRule['action'], more: Partial<FaultRule> = {}): FaultRule => ({
  match: { operation: 'events.publish' },
  times: 1,
  ...more,
  action,
});

/** A client that waits only a few seconds for the answer to a batch; for any other answer without a limit. */
export const impatient = (client: ServiceClient): ServiceClient => ({
  ...client,
  call: (operation, input, options) =>
    client.call(
      operation,
      input,
      operation === 'events.publish' ? { ...options, timeoutMs: 3_000 } : options,
    ),
});

export class UploadRig implements AsyncDisposable {
  readonly folder: string;
  readonly uploads: Uploads;
  readonly resources: Resources;
  readonly store: UploadStore;
  readonly files: OpenFiles;
  readonly rig: ClientRig;
  readonly jobs: UploadJob[] = [];
  readonly dryRuns: DryRun[] = [];
  readonly deletions: EventDeletion[] = [];
  readonly wholeFiles: WholeFile[] = [];
  readonly budget: { usedToday: number; limit: number; resetsAtMs: number | null } = {
    usedToday: 0,
    limit: 30,
    resetsAtMs: null,
  };
  readonly #ownsFolder: boolean;
  readonly #notices = new Notices();

  constructor(options: UploadRigOptions) {
    this.#ownsFolder = options.folder === undefined;
    this.folder = options.folder ?? mkdtempSync(join(tmpdir(), 'spandeck-uploads-'));
    this.rig = openClient({
      ...{ baseUrl: options.baseUrl, token: options.token },
      ...(options.schedulerHaste === undefined ? {} : { haste: options.schedulerHaste }),
      ...(options.foreground === undefined ? {} : { foreground: options.foreground }),
    });
    this.files = openFiles(this.folder);
    const store = openUploadStore({
      file: join(this.folder, 'uploads.db'),
      clock: systemClock,
      logger: silentLogger,
    });
    this.store = options.wrapStore?.(store) ?? store;
    const note =
      <T>(list: T[]) =>
      (item: T) => {
        list.push(item);
        this.#notices.heard();
      };
    const client = options.wrapClient?.(this.rig.client) ?? this.rig.client;
    const clock = hasty(options.haste ?? 1, options.aheadMs ?? (() => 0));
    this.resources = createResources({
      client,
      library: { invalidate: () => undefined },
      clock,
      logger: silentLogger,
      onJobChanged: () => undefined,
    });
    this.uploads = createUploads({
      connectionId: CONNECTION_ID,
      store: this.store,
      client,
      clock,
      random: systemRandom,
      logger: silentLogger,
      files: this.files,
      spoolFolder: join(this.folder, 'copies'),
      plan: (_operation, requests) => requests * 10,
      followJob: this.resources.followJob,
      readBudget: () => this.budget,
      onJobChanged: note(this.jobs),
      onDryRunChanged: note(this.dryRuns),
      onDeletionChanged: note(this.deletions),
      blockingError: options.blockingError ?? (() => null),
      onWholeFileChanged: note(this.wholeFiles),
      ...(options.connection === undefined ? {} : { connection: options.connection }),
      // By default one request at a time, because faults are scripted by the order of requests.
      options: { evidenceSettleMs: 0, countPauseMs: 0, maxInFlight: 1, ...options.options },
    });
  }

  /** Waits for a matching event. */
  until<T>(find: () => T | undefined): Promise<T> {
    return this.#notices.until(find);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, content: string | Buffer): string {
    const path = this.path(name);
    writeFileSync(path, content);
    return path;
  }

  async modelId(name: string): Promise<string> {
    const { value } = await this.rig.client.list('models.list', {}, { priority: 'view' });
    const found = value.items.find((model) => model.name === name);
    if (found === undefined) throw new Error(`The service has no model ${name}.`);
    return found.id;
  }

  /** Offers a file, previews it, and maps it to a model as the window does. */
  async plan(path: string, modelName: string, changes: Partial<UploadPlan> = {}): Promise<UploadPlan> {
    const [offered] = await this.files.offer([path]);
    if (offered === undefined) throw new Error('Nothing was offered.');
    const preview = await this.files.inspect(offered.fileId, null);
    const modelId = await this.modelId(modelName);
    const { value } = await this.rig.client.call(
      'models.get',
      { path: { model_id: modelId } },
      { priority: 'view' },
    );
    return {
      fileId: offered.fileId,
      dialect: preview.dialect,
      columns: planColumns(preview.columns, value.schema?.columns ?? []),
      modelId,
      modelName,
      envType: 'PRODUCTION',
      envName: null,
      mode: 'publish',
      batchRows: 1_000,
      maxBatchBytes: 8_000_000,
      onBadRow: 'skip',
      ...changes,
    };
  }

  async send(path: string, modelName: string, changes: Partial<UploadPlan> = {}): Promise<UploadJob> {
    const job = await this.uploads.createJob(await this.plan(path, modelName, changes), true);
    return this.uploads.whenIdle(job.jobId);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.resources.stop();
    await this.uploads.stop(0);
    await this.files.stop();
    await this.rig[Symbol.asyncDispose]();
    this.store.close();
    if (this.#ownsFolder) rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Blocks publish requests after a given number, so that a test finds a job midway. */
export class RequestGate {
  #allowed: number;
  #sent = 0;
  #held: (() => void)[] = [];
  #watchers: (() => void)[] = [];
  readonly #holds: 'request' | 'answer';

  /** `request`: blocked before it reaches the client. `answer`: blocked after the service has executed it. */
  constructor(allowed: number, holds: 'request' | 'answer' = 'request') {
    this.#allowed = allowed;
    this.#holds = holds;
  }

  wrap = (client: ServiceClient): ServiceClient => ({
    ...client,
    call: async (operation, input, options) => {
      const isHeld = operation === 'events.publish';
      if (isHeld && this.#holds === 'request') await this.#enter();
      const answer = await client.call(operation, input, options);
      if (isHeld && this.#holds === 'answer') await this.#enter();
      return answer;
    },
  });

  async #enter(): Promise<void> {
    this.#sent += 1;
    if (this.#sent <= this.#allowed) return;
    await new Promise<void>((resolve) => {
      this.#held.push(resolve);
      for (const watcher of this.#watchers.splice(0)) watcher();
    });
  }

  /** Resolves when a request is blocked, so that all before it have been answered. */
  async reached(): Promise<void> {
    if (this.#held.length === 0) await new Promise<void>((resolve) => this.#watchers.push(resolve));
  }

  /** Releases the blocked requests, and lets `more` requests after them pass. */
  open(more = Number.POSITIVE_INFINITY): void {
    this.#allowed = this.#sent + more;
    for (const release of this.#held.splice(0)) release();
  }
}

/** Ids in a receipts file, in order; empty texts for unknown ids. */
export function receiptIds(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',').at(-1) ?? '');
}
