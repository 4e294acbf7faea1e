/** Whole-file uploads as a kind of durable job: published once, and followed until the service has read them. */

import type { CallOptions } from '../api/types.ts';
import { canPass } from '../core/jobs/send-outcome.ts';
import { futureStart } from '../core/jobs/start-plan.ts';
import { againOf, isWholeFileSending, refusedFile } from '../core/jobs/whole-file.ts';
import type { StoredWholeFile } from '../db/upload-store.ts';
import { Jobs } from '../jobs/jobs.ts';
import { reachService } from '../jobs/reach-service.ts';
import { TaskRunner } from '../jobs/service-task.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { WholeFile, WholeFileAction, WholeFileLook } from '../shared/whole-file-contract.ts';
import { readFileState } from './file-state.ts';
import { leaseProcess, type ProcessOptions } from './lease-process.ts';
import type { UploadsDeps, WholeFileRequest, WholeFiles } from './types.ts';
import { WholeFileLedger, wholeFileView } from './whole-file-ledger.ts';
import { checkUnchanged, PART_BYTES, publishFile, sendFile } from './whole-file-sending.ts';

type WholeFileDeps = Pick<
  UploadsDeps,
  | 'store'
  | 'client'
  | 'clock'
  | 'random'
  | 'logger'
  | 'files'
  | 'followJob'
  | 'blockingError'
  | 'checkRead'
  | 'onWholeFileChanged'
> & { options: ProcessOptions };

/** Delay before retrying a planned file that could not be sent because the service was unreachable. */
const RETRY_DELAY_MS = 60_000;
const NEWEST = { limit: 500 };
/** States in which a process or the service is working on the file. */
const OPEN: ReadonlySet<string> = new Set<WholeFile['state']>(['sending', 'publishing', 'following']);

export class WholeFileSender implements WholeFiles {
  readonly #deps: WholeFileDeps;
  readonly jobs: Jobs<WholeFileLedger>;

  constructor(deps: WholeFileDeps) {
    this.#deps = deps;
    const { store, options } = deps;
    this.jobs = new Jobs(
      { ...deps, process: leaseProcess(options) },
      {
        what: 'file sent as is',
        rows: store.wholeFiles,
        load: (id) => new WholeFileLedger(deps, store.wholeFiles.load(id)),
        run: (ledger) => this.#run(ledger),
        interrupt: (ledger) => {
          // An ended process had not published a file that it was sending. A file that it was publishing may have been
          // published.
          const isLeft = isWholeFileSending(ledger.core.state);
          if (isLeft) ledger.apply([{ type: 'interrupt' }]);
          return isLeft;
        },
        // Does nothing: only a person sends an interrupted file again.
        resume: () => undefined,
        due: (ledger, nowMs) => this.#due(ledger, nowMs),
        startAgain: (ended, own) => own.inheritSend(ended),
        isOpen: (state) => OPEN.has(state),
      },
    );
  }

  list(): WholeFile[] {
    const { wholeFiles } = this.#deps.store;
    this.jobs.listed();
    return wholeFiles.list(NEWEST).map((file) => this.jobs.held(file.id)?.view() ?? wholeFileView(file));
  }

  get(id: string): WholeFile {
    return this.jobs.ledger(id).view();
  }

  look(fileId: string): Promise<WholeFileLook> {
    return this.#deps.files.lookAtWhole(fileId);
  }

  async send(
    fileId: string,
    request: WholeFileRequest,
    startAtMs: number | null = null,
    write?: (create: () => void) => void,
  ): Promise<WholeFile> {
    const { files } = this.#deps;
    await files.lookAtWhole(fileId);
    return this.sendPath(files.resolve(fileId), request, PART_BYTES, startAtMs, write);
  }

  async sendPath(
    { path, name }: { path: string; name: string },
    request: WholeFileRequest,
    partBytes = PART_BYTES,
    startAtMs: number | null = null,
    write: (create: () => void) => void = (create) => this.#deps.store.commit(create),
  ): Promise<WholeFile> {
    if (request.publishes && (request.modelId === null || request.envType.trim() === '')) {
      throw new AppError('INVALID_ARGUMENT', 'Expected a model and an environment type to publish to.');
    }
    const { store, clock, random, checkRead } = this.#deps;
    if (request.modelId !== null && checkRead !== undefined) await checkRead([request.modelId]);
    const offlineError = this.#offlineError();
    const nowMs = clock.nowMs();
    if (startAtMs !== null) futureStart(startAtMs, nowMs);
    // If the service cannot be reached, the file is stored as planned for now.
    const beginsAtMs = startAtMs ?? (offlineError === null ? null : nowMs);
    const id = random.uuid();
    const stored: StoredWholeFile = {
      ...request,
      ...(await readFileState(path)),
      id,
      path,
      name,
      partBytes,
      partsSent: 0,
      // The state that is stored if the program ends before the file is sent.
      state: beginsAtMs === null ? 'interrupted' : 'scheduled',
      startAtMs: beginsAtMs,
      lateStart: null,
      file: null,
      jobId: null,
      jobStatus: null,
      progress: null,
      reason: '',
      error: null,
      createdAtMs: nowMs,
      endedAtMs: beginsAtMs === null ? nowMs : null,
    };
    write(() => store.wholeFiles.create(stored));
    if (beginsAtMs === null) return this.#begin(id, 'resume');
    const ledger = this.jobs.ledger(id);
    ledger.announce();
    this.jobs.starts.changed(id);
    return ledger.view();
  }

  /** In one transaction, so that only one of two processes gets the file. */
  #begin(id: string, type: 'start' | 'resume'): WholeFile {
    const nowMs = this.#deps.clock.nowMs();
    const ledger = this.jobs.start(id, (own) => own.apply([{ type, nowMs }], { createdAtMs: nowMs }));
    // If the service cannot be reached, the file is sent automatically later.
    this.jobs.starts.changed(id);
    return ledger.view();
  }

  async control(
    id: string,
    action: WholeFileAction,
    startAtMs: number | null = null,
  ): Promise<WholeFile | null> {
    const { core } = this.jobs.ledger(id);
    switch (action) {
      case 'start': {
        if (core.state === 'scheduled') this.#offlineError();
        return this.#begin(id, 'start');
      }
      case 'schedule': {
        const nowMs = this.#deps.clock.nowMs();
        this.jobs.change(id, (ledger) => ledger.apply([{ type: 'schedule', startAtMs, nowMs }]));
        this.jobs.starts.changed(id);
        return this.jobs.ledger(id).view();
      }
      case 'cancel':
        return this.#cancel(id);
      case 'again':
        return this.#again(id);
      case 'forget': {
        const ledger = this.jobs.own(id);
        if (isWholeFileSending(ledger.core.state)) throw refusedFile('remove', ledger.core);
        const { store } = this.#deps;
        const remove = () => {
          ledger.checkOwn();
          store.wholeFiles.remove(id);
        };
        this.jobs.forget(id, () => store.commit(remove));
        this.jobs.starts.look();
        return null;
      }
    }
  }

  async #cancel(id: string): Promise<WholeFile> {
    const { core } = this.jobs.ledger(id);
    const runner = this.jobs.runner(id);
    if (core.state === 'scheduled') {
      this.jobs.change(id, (ledger) => ledger.apply([{ type: 'cancel' }]));
      this.jobs.starts.changed(id);
    } else if (runner !== null && isWholeFileSending(core.state)) {
      runner.loop.abort();
      await this.jobs.whenSent(id);
    } else {
      // Another process may be sending the file, and publishing cannot be undone.
      this.#deps.store.commit(() => this.jobs.takeOver(id, (ledger) => ledger.apply([{ type: 'cancel' }])));
    }
    return this.jobs.ledger(id).view();
  }

  async #again(id: string): Promise<WholeFile> {
    const { core, stored } = this.jobs.ledger(id);
    if (againOf(core) === null) throw refusedFile('send again', core);
    this.#offlineError();
    if (core.file === null) await checkUnchanged(stored);
    return this.#begin(id, 'resume');
  }

  async whenSettled(id: string): Promise<WholeFile> {
    return (await this.jobs.whenSent(id)).view();
  }

  /** If the service cannot be reached, the file stays planned; any other error ends it with that error. */
  #due(ledger: WholeFileLedger, nowMs: number): void {
    const error = this.#deps.blockingError();
    if (error === null) {
      ledger.apply([{ type: 'due', nowMs }], { createdAtMs: this.#deps.clock.nowMs() });
    } else if (canPass(error)) {
      ledger.apply([{ type: 'put-off', error }]);
      this.jobs.starts.postpone(ledger.id, RETRY_DELAY_MS);
    } else {
      ledger.apply([{ type: 'fail', error, withdrawn: null }]);
    }
  }

  #run(ledger: WholeFileLedger): TaskRunner {
    return new TaskRunner(
      {
        send: async (signal, isStopping) => {
          if (!ledger.claimSend()) {
            if (isWholeFileSending(ledger.core.state)) ledger.applyAnyhow([{ type: 'interrupt' }]);
            return;
          }
          try {
            await this.#upload(ledger, signal);
            if (ledger.core.state === 'publishing') await this.#publish(ledger, signal);
          } catch (problem) {
            this.#fail(ledger, toAppError(problem), signal.aborted, isStopping());
          }
        },
        taskId: () => (ledger.core.state === 'following' ? ledger.core.taskId : null),
        look: (task) => {
          if (ledger.core.state === 'following') ledger.look(task);
        },
        // Aborts the transfer of bytes, but awaits the answer to a publish request.
        isWithdrawable: () => ledger.core.state === 'sending',
      },
      this.#deps.followJob,
    );
  }

  /** Only the holder of the lease may record parts. If another process cancelled the file, nothing more is sent. */
  async #upload(ledger: WholeFileLedger, signal: AbortSignal): Promise<void> {
    if (ledger.core.file !== null) return;
    const asking: CallOptions = { ...callOf(ledger.id, signal), priority: 'click' };
    await reachService(() => this.#deps.client.call('server-info.get', {}, asking));
    const file = await sendFile(this.#deps.client, ledger.stored, {
      partBytes: ledger.stored.partBytes,
      call: callOf(ledger.id, signal),
      onPart: (partsSent) => ledger.apply([{ type: 'part', partsSent }]),
    });
    ledger.apply([{ type: 'uploaded', file }]);
  }

  async #publish(ledger: WholeFileLedger, signal: AbortSignal): Promise<void> {
    const { modelId, envType, envName } = ledger.stored;
    const fileId = ledger.core.file?.['id'];
    if (typeof fileId !== 'string' || modelId === null)
      throw new AppError('INTERNAL', 'Expected a file of the service and a model.', { outcome: 'unsent' });
    const target = { modelId, envType, envName };
    const call = callOf(ledger.id, signal);
    const { jobId: taskId } = await publishFile(this.#deps.client, fileId, target, call);
    ledger.applyAnyhow([{ type: 'published', taskId }]);
  }

  #fail(ledger: WholeFileLedger, error: AppError, isAborted: boolean, isStopping: boolean): void {
    // Another process has the job and records its state.
    if (ledger.holdsLease?.() === false) return;
    const byWhom = isStopping ? 'interrupted' : 'cancelled';
    ledger.applyAnyhow([{ type: 'fail', error, withdrawn: isAborted ? byWhom : null }]);
    if (ledger.core.state === 'scheduled') this.jobs.starts.postpone(ledger.id, RETRY_DELAY_MS);
  }

  /**
   * The reason why the file would have to wait now, or null. Throws errors that waiting does not resolve, such as
   * READ_ONLY.
   */
  #offlineError(): AppError | null {
    const blockingError = this.#deps.blockingError();
    if (blockingError !== null && !canPass(blockingError)) throw blockingError;
    return blockingError;
  }
}

const callOf = (id: string, signal: AbortSignal): CallOptions => ({
  priority: 'upload',
  group: `file ${id}`,
  signal,
});
