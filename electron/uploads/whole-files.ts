/** Files sent whole: stored before they are sent, published once, followed until the service's job ends. */
import { futureStart } from '../core/start-plan.ts';
import type { StoredWholeFile } from '../db/whole-file-store.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { JobState } from '../shared/resource-contract.ts';
import type { WholeFile, WholeFileAction } from '../shared/whole-file-contract.ts';
import { readFileState } from './file-state.ts';
import { PlannedFiles } from './planned-files.ts';
import type { UploadOptions, UploadsDeps, WholeFileRequest, WholeFiles } from './types.ts';
import { WholeFileFollows } from './whole-file-follows.ts';
import { checkUnchanged, PART_BYTES, publishFile, sendFile } from './whole-file-sending.ts';
import { afterLook, againOf, refused, stateAfter, toView } from './whole-file-state.ts';

export type WholeFileDeps = Pick<
  UploadsDeps,
  | 'store'
  | 'client'
  | 'clock'
  | 'random'
  | 'logger'
  | 'files'
  | 'followJob'
  | 'refusal'
  | 'onWholeFileChanged'
> & { options: Pick<UploadOptions, 'isProcessAlive' | 'processId'> };

interface Running {
  abort: AbortController;
  done: Promise<void>;
}

export class WholeFileSender implements WholeFiles {
  readonly #deps: WholeFileDeps;
  readonly #running = new Map<string, Running>();
  readonly #follows: WholeFileFollows;
  readonly planned: PlannedFiles;
  #isStopped = false;

  constructor(deps: WholeFileDeps) {
    this.#deps = deps;
    this.#follows = new WholeFileFollows({ ...deps, onLook: (file, job) => this.#afterLook(file, job) });
    this.planned = new PlannedFiles({
      ...deps,
      get: (id) => this.#get(id),
      save: (file) => this.#save(file),
      send: (id) => this.#start(id),
      control: (id, action, startAtMs) => this.control(id, action, startAtMs),
    });
  }

  list(): WholeFile[] {
    const files = this.#deps.store.wholeFiles.list();
    // The command line may have published one meanwhile.
    for (const file of files) if (file.state === 'following') this.#follows.follow(file);
    return files.map(toView);
  }

  /** What a process that is gone was sending was not published; what it was publishing may be. */
  recover(continues: boolean): void {
    for (const file of this.#deps.store.wholeFiles.list()) {
      if (file.state === 'following') this.#follows.follow(file);
      if (this.#isSentElsewhere(file)) continue;
      if (file.state === 'sending') this.#end(file, { state: 'interrupted' });
      else if (file.state === 'publishing') this.#end(file, { state: 'unknown' });
    }
    if (continues) this.planned.starts.lookAfterAll();
  }

  async send(fileId: string, request: WholeFileRequest, startAtMs: number | null = null): Promise<WholeFile> {
    const { files } = this.#deps;
    await files.lookAtWhole(fileId);
    return this.sendPath(files.resolve(fileId), request, PART_BYTES, startAtMs);
  }

  async sendPath(
    { path, name }: { path: string; name: string },
    request: WholeFileRequest,
    partBytes = PART_BYTES,
    startAtMs: number | null = null,
  ): Promise<WholeFile> {
    if (request.publishes && (request.modelId === null || request.envType.trim() === '')) {
      throw new AppError('INVALID_ARGUMENT', 'Expected a model and an environment type to publish to.');
    }
    this.#throwRefusal(startAtMs !== null);
    const nowMs = this.#deps.clock.nowMs();
    if (startAtMs !== null) futureStart(startAtMs, nowMs);
    const state = await readFileState(path);
    const stored: StoredWholeFile = {
      ...request,
      ...state,
      id: this.#deps.random.uuid(),
      path,
      name,
      partBytes,
      partsSent: 0,
      state: startAtMs === null ? 'sending' : 'scheduled',
      startAtMs,
      lateStart: null,
      processId: this.#deps.options.processId,
      file: null,
      jobId: null,
      jobStatus: null,
      progress: null,
      error: null,
      startedAtMs: nowMs,
      endedAtMs: null,
    };
    const begun = this.#save(stored);
    if (startAtMs === null) this.#start(stored.id);
    else this.planned.starts.changed(stored.id);
    return toView(begun);
  }

  async control(
    id: string,
    action: WholeFileAction,
    startAtMs: number | null = null,
  ): Promise<WholeFile | null> {
    const file = this.#get(id);
    if (action === 'start') this.planned.startNow(file);
    if (action === 'schedule') this.planned.schedule(file, startAtMs);
    if (action === 'start' || action === 'schedule') return toView(this.#get(id));
    if (action === 'cancel') return this.#cancel(file);
    if (action === 'again') return this.#again(file);
    if (this.#isUnderWay(file)) throw refused('forgotten', file);
    this.#follows.end(id);
    const { store } = this.#deps;
    store.commit(() => store.wholeFiles.remove(id));
    this.planned.starts.look();
    return null;
  }

  async whenSettled(id: string): Promise<WholeFile> {
    for (;;) {
      const running = this.#running.get(id);
      if (running !== undefined) await running.done;
      else if (!(await this.planned.starts.wait(id))) return toView(this.#get(id));
    }
  }

  /** Bytes on their way are let go; an answer to publishing is waited for, for `graceMs`. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true;
    this.planned.starts.stop();
    this.#follows.stop();
    const running = [...this.#running];
    for (const [id, { abort }] of running) if (this.#get(id).state === 'sending') abort.abort();
    const cancelTimer = this.#deps.clock.setTimer(() => {
      for (const [, { abort }] of running) abort.abort();
    }, graceMs);
    await Promise.all(running.map(([, { done }]) => done));
    cancelTimer();
  }

  async #cancel(file: StoredWholeFile): Promise<WholeFile> {
    if (this.planned.callsOff(file)) return toView(this.#get(file.id));
    if (file.state !== 'sending' && file.state !== 'publishing') throw refused('cancelled', file);
    const running = this.#running.get(file.id);
    if (running === undefined) {
      // Another process sends it, and looks here before each part.
      if (file.state === 'publishing') throw refused('cancelled', file);
      return toView(this.#end(file, { state: 'cancelled' }));
    }
    running.abort.abort();
    return this.whenSettled(file.id);
  }

  async #again(file: StoredWholeFile): Promise<WholeFile> {
    if (againOf(file) === null) throw refused('sent again', file);
    this.#throwRefusal();
    if (file.file === null) await checkUnchanged(file);
    const { store, clock, options } = this.#deps;
    const begun = store.commit(() => {
      const now = this.#get(file.id);
      // Of two processes one gets it.
      if (againOf(now) === null) throw refused('sent again', now);
      const claimed: StoredWholeFile = {
        ...now,
        state: now.file === null ? 'sending' : 'publishing',
        partsSent: now.file === null ? 0 : now.partsSent,
        processId: options.processId,
        error: null,
        startedAtMs: clock.nowMs(),
        endedAtMs: null,
      };
      store.wholeFiles.save(claimed);
      return claimed;
    });
    this.#deps.onWholeFileChanged(toView(begun));
    this.#start(begun.id);
    return toView(begun);
  }

  #start(id: string): void {
    const abort = new AbortController();
    const done = this.#run(id, abort.signal)
      .catch((problem: unknown) => {
        // What could not be stored is found by the next start as what was being sent.
        this.#deps.logger.error('file sent whole not settled', { file: id, code: toAppError(problem).code });
      })
      .finally(() => this.#running.delete(id));
    this.#running.set(id, { abort, done });
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    try {
      const file = await this.#upload(this.#get(id), signal);
      if (!file.publishes) this.#end(file, { state: 'uploaded' });
      else await this.#publish(file, signal);
    } catch (problem) {
      this.#fail(id, toAppError(problem), signal.aborted);
    }
  }

  async #upload(file: StoredWholeFile, signal: AbortSignal): Promise<StoredWholeFile> {
    if (file.file !== null) return file;
    const { client } = this.#deps;
    const { id, partBytes } = file;
    const sent = await sendFile(client, file, {
      partBytes,
      call: { priority: 'upload', group: `file ${id}`, signal },
      onPart: (partsSent) => {
        this.#save({ ...this.#stillSending(id), partsSent });
      },
    });
    const state = file.publishes ? 'publishing' : 'sending';
    return this.#save({ ...this.#stillSending(id), file: sent, state });
  }

  #stillSending(id: string): StoredWholeFile {
    const file = this.#get(id);
    if (file.state === 'sending') return file;
    throw new AppError('CANCELLED', `${file.name} was cancelled elsewhere.`, { outcome: 'unsent' });
  }

  async #publish(file: StoredWholeFile, signal: AbortSignal): Promise<void> {
    const { id, modelId, envType, envName } = file;
    const fileId = file.file?.['id'];
    if (typeof fileId !== 'string' || modelId === null)
      throw new AppError('INTERNAL', 'Expected a file of the service and a model.', { outcome: 'unsent' });
    const call = { priority: 'upload' as const, group: `file ${id}`, signal };
    const { jobId } = await publishFile(this.#deps.client, fileId, { modelId, envType, envName }, call);
    if (jobId === null) this.#end(file, { state: 'done' });
    else this.#follows.follow(this.#save({ ...file, state: 'following', jobId }));
  }

  #fail(id: string, error: AppError, isAborted: boolean): void {
    const file = this.#get(id);
    if (file.state === 'cancelled') return;
    if (!isAborted && this.planned.goesBack(file, error)) return;
    const state = stateAfter(file, error, isAborted, this.#isStopped);
    const isQuiet = isAborted && state !== 'unknown';
    this.#end(file, { state, error: isQuiet ? null : error.toWire() });
  }

  #afterLook(file: StoredWholeFile, job: JobState): void {
    const changes = afterLook(file, job);
    if (changes === null) return;
    if (job.isOver) this.#end(file, changes);
    else this.#save({ ...file, ...changes });
  }

  #isUnderWay({ id, state }: StoredWholeFile): boolean {
    return this.#running.has(id) || state === 'sending' || state === 'publishing';
  }

  #isSentElsewhere({ id, processId }: StoredWholeFile): boolean {
    const { options } = this.#deps;
    if (processId === options.processId) return this.#running.has(id);
    return options.isProcessAlive(processId);
  }

  /** What is to be sent later needs no way to the service now. */
  #throwRefusal(isLater = false): void {
    const refusal = this.#deps.refusal();
    if (refusal !== null && !(isLater && refusal.retry === 'later')) throw refusal;
  }

  #get(id: string): StoredWholeFile {
    const file = this.#deps.store.wholeFiles.get(id);
    if (file !== null) return file;
    throw new AppError(
      'INVALID_ARGUMENT',
      'Expected a file that was sent from here; there is none with this id.',
    );
  }

  #end(file: StoredWholeFile, changes: Partial<StoredWholeFile>): StoredWholeFile {
    return this.#save({ ...file, ...changes, endedAtMs: this.#deps.clock.nowMs() });
  }

  #save(file: StoredWholeFile): StoredWholeFile {
    const { store } = this.#deps;
    store.commit(() => store.wholeFiles.save(file));
    this.#deps.onWholeFileChanged(toView(file));
    return file;
  }
}
