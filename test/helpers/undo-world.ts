/** A service, and uploads to one of its models that are undone. Each test starts with an empty model. */
import { afterEach, beforeEach } from 'vitest';
import type { UploadJob } from '../../electron/shared/upload-model.ts';
import { RawService, TOKEN } from './sample-service.ts';
import { UploadRig, type UploadRigOptions } from './upload-rig.ts';

export const MODEL = 'Card fraud';

interface Started {
  raw: RawService;
  rig: UploadRig;
  modelId: string;
}

class UndoWorld {
  #rigs: UploadRig[] = [];
  #started: Started | null = null;

  async start(): Promise<void> {
    // Only for an environment without other rows can it be proved that it contains nothing else.
    const raw = await RawService.start({ settings: { jobPendingMs: 5, jobRunMs: 5, trafficUntilMs: 0 } });
    const rig = this.#open(raw, {});
    this.#started = { raw, rig, modelId: await rig.modelId(MODEL) };
  }

  async stop(): Promise<void> {
    for (const each of this.#rigs.toReversed()) await each[Symbol.asyncDispose]();
    this.#rigs = [];
    await this.raw.service.stop();
  }

  get raw(): RawService {
    return this.#now().raw;
  }
  get rig(): UploadRig {
    return this.#now().rig;
  }
  get modelId(): string {
    return this.#now().modelId;
  }

  #now(): Started {
    if (this.#started === null) throw new Error('Expected a started service.');
    return this.#started;
  }

  /** Another process with uploads to the same service. */
  open = (options: Partial<UploadRigOptions> = {}): UploadRig => this.#open(this.raw, options);

  /** Uses another process from now on. */
  continueWith(options: Partial<UploadRigOptions>): void {
    this.#started = { ...this.#now(), rig: this.open(options) };
  }

  #open({ service }: RawService, options: Partial<UploadRigOptions>): UploadRig {
    const small = { idsPerDeletion: 10, ...options.options };
    const opened = new UploadRig({
      ...{ baseUrl: service.baseUrl, token: TOKEN, haste: 100 },
      ...options,
      options: small,
    });
    this.#rigs.push(opened);
    return opened;
  }

  send = (name: string, ids: readonly string[], batchRows = 7, day = '2025-01-01'): Promise<UploadJob> => {
    const rows = ids.map((id, index) => `${id},${day} 00:00:${String(index % 60).padStart(2, '0')}`);
    const file = this.rig.write(name, ['transaction_id,processed_at', ...rows].join('\n'));
    return this.rig.send(file, MODEL, { batchRows });
  };

  /** The ids of the events that the service has. */
  stored = () => this.raw.service.events(this.modelId).ids;
  /** Number of requests to delete events. */
  sent = () => this.raw.service.report().operations['events.delete']?.requests ?? 0;
}

/** Starts a world before each test, and stops it afterwards. */
export function useUndoWorld(): UndoWorld {
  const world = new UndoWorld();
  beforeEach(() => world.start());
  afterEach(() => world.stop());
  return world;
}

export const named = (letter: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${letter}-${index}`);

export const statuses = (of: UploadRig) =>
  of.uploads
    .listDeletions()
    .deletions.map(({ status }) => status)
    .toSorted();

/** Undoes the upload as planned. */
export async function undo(of: UploadRig, jobId: string) {
  const plan = await of.uploads.planUndo(jobId);
  const agreed = { events: plan.events, deletions: plan.deletions.length };
  return { plan, ...(await of.uploads.undo(jobId, agreed)) };
}

/** Resolves once this many deletions have succeeded. */
export const settled = (of: UploadRig, count: number) =>
  of.until(() =>
    statuses(of).filter((status) => status === 'SUCCESS').length === count ? count : undefined,
  );
