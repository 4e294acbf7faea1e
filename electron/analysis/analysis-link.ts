/** A link to one analysis process, which is started with the first request and ended after some idle time. */
import { rm } from 'node:fs/promises';
import type { Clock } from '../core/ports.ts';
import { onlyReads } from '../db/only-reads.ts';
import { temporaryFolder } from '../db/temporary-folder.ts';
import type { StartChild } from '../platform/child-process.ts';
import { WITH_RETRIES } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import { scriptPath } from '../shared/script-path.ts';
import { type AnalysisRequest, type AnalysisResults, analysisReply } from './protocol.ts';

type Operation = AnalysisRequest['operation'];
type Given<O extends Operation> = Omit<
  Extract<AnalysisRequest, { operation: O }>,
  'id' | 'operation' | 'spillFolder'
>;
type Child = ReturnType<StartChild>;

/** The engine's own error for a request. */
export class EngineFailure extends Error {}

interface Waiting {
  resolve: (result: unknown) => void;
  reject: (problem: unknown) => void;
  onProgress: ((rows: number) => void) | undefined;
}

interface Running {
  child: Child;
  /** Folder for temporary files. If it is empty, a query may use memory only. */
  spillFolder: string;
}

interface LinkDeps {
  startChild: StartChild;
  clock: Clock;
  /** Idle time after which the process ends, because only its end frees its memory. */
  idleMs: number;
}

/** If the temporary folder of an ended process cannot be removed now, it is removed at the next start. */
const ignoreLeftFolder = (): void => undefined;
const ignoreFailedStart = (): void => undefined;

export class AnalysisLink {
  readonly #deps: LinkDeps;
  readonly #waiting = new Map<number, Waiting>();
  #running: Promise<Running> | null = null;
  #nextId = 1;
  #endIdle: (() => void) | null = null;

  constructor(deps: LinkDeps) {
    this.#deps = deps;
  }

  /**
   * Rejects with EngineFailure if the engine reports an error, with AppError INTERNAL if the process ends, and with
   * CANCELLED after `end`.
   */
  async call<O extends Operation>(
    operation: O,
    given: Given<O>,
    onProgress?: (rows: number) => void,
  ): Promise<AnalysisResults[O]> {
    this.#endIdle?.();
    this.#endIdle = null;
    const id = this.#nextId;
    this.#nextId += 1;
    const result = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject, onProgress });
    });
    const running = this.#started();
    running.then(
      ({ child, spillFolder }) => child.send({ ...given, id, operation, spillFolder }),
      (problem: unknown) => {
        // Forgets the process, so that the next call starts a new one.
        if (this.#running === running) this.#running = null;
        this.#settle(id, (waiting) => waiting.reject(problem));
      },
    );
    // The cast is safe, because the table of results defines the result type of each operation, and the process runs
    // our own code.
    return (await result) as AnalysisResults[O];
  }

  /**
   * Starts the process in advance, so that the next request does not wait for it. If this fails, that request gets the
   * error.
   */
  start(): void {
    this.#started().catch(ignoreFailedStart);
  }

  #started(): Promise<Running> {
    this.#running ??= this.#start();
    return this.#running;
  }

  async #start(): Promise<Running> {
    const spillFolder = onlyReads() ? '' : await temporaryFolder();
    const child = this.#deps.startChild(
      new URL(scriptPath('./analysis-process.ts', import.meta.url), import.meta.url),
    );
    child.onMessage((message) => {
      const answer = analysisReply.parse(message);
      if (answer.kind === 'progress') this.#waiting.get(answer.id)?.onProgress?.(answer.rows);
      else
        this.#settle(answer.id, ({ resolve, reject }) =>
          answer.kind === 'done' ? resolve(answer.result) : reject(new EngineFailure(answer.message)),
        );
    });
    child.onEnd((reason) => {
      this.#ended(child, reason).catch(ignoreLeftFolder);
    });
    return { child, spillFolder };
  }

  #settle(id: number, how: (waiting: Waiting) => void): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (waiting !== undefined) how(waiting);
    if (this.#waiting.size > 0 || this.#running === null) return;
    this.#endIdle?.();
    this.#endIdle = this.#deps.clock.setTimer(
      () => this.end(),
      this.#deps.idleMs,
      'ending the analysis process',
    );
  }

  async #ended(child: Child, reason: string): Promise<void> {
    // A failed start is reported to every waiting caller.
    const running = await this.#running?.catch(() => null);
    if (running?.child !== child) return;
    this.#refuseAll(
      new AppError(
        'INTERNAL',
        'The process that reads tables ended unexpectedly. Try again.',
        {},
        new Error(reason),
      ),
    );
    await this.end();
  }

  #refuseAll(problem: AppError): void {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(problem);
  }

  /** Ends the process at once and cancels running requests. A later call starts another process. */
  async end(): Promise<void> {
    this.#endIdle?.();
    this.#endIdle = null;
    const running = this.#running;
    this.#running = null;
    if (running === null) return;
    const started = await running.catch(() => null);
    // A process that did not start need not be ended, and its callers got the error.
    if (started === null) return;
    started.child.kill();
    this.#refuseAll(new AppError('CANCELLED', 'The analysis was stopped.'));
    if (started.spillFolder !== '') await rm(started.spillFolder, WITH_RETRIES);
  }
}
