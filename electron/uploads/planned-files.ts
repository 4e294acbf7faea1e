/** Files sent whole that begin by themselves later: each is claimed in one step, and stays planned without a way. */
import { type PlannedSource, PlannedStarts } from '../core/planned-starts.ts';
import { readable } from '../core/readable.ts';
import { futureStart, lateStartOf } from '../core/start-plan.ts';
import type { StoredWholeFile } from '../db/whole-file-store.ts';
import type { AppError } from '../shared/errors.ts';
import type { UploadOptions, UploadsDeps } from './types.ts';
import { requestsOf } from './whole-file-sending.ts';
import { refused, toView } from './whole-file-state.ts';

export type PlannedFilesDeps = Pick<UploadsDeps, 'store' | 'clock' | 'logger' | 'refusal'> & {
  options: Pick<UploadOptions, 'processId'>;
  get: (id: string) => StoredWholeFile;
  save: (file: StoredWholeFile) => void;
  /** Sends what was claimed. */
  send: (id: string) => void;
  control: (
    id: string,
    action: 'start' | 'schedule' | 'cancel',
    startAtMs: number | null,
  ) => Promise<unknown>;
};

/** What could not be sent at its time, as there was no way to the service, is tried again after so long. */
const AGAIN_MS = 60_000;

export class PlannedFiles {
  readonly #deps: PlannedFilesDeps;
  readonly starts: PlannedStarts;
  /** Of those that this process began at their time: that time, for the case that nothing can leave. */
  readonly #begunFor = new Map<string, number>();

  constructor(deps: PlannedFilesDeps) {
    this.#deps = deps;
    this.starts = new PlannedStarts({
      ...deps,
      what: 'file',
      planned: () => deps.store.wholeFiles.scheduled(),
      begin: (id, nowMs) => this.#begin(id, nowMs),
    });
  }

  schedule(file: StoredWholeFile, startAtMs: number | null): void {
    if (file.state !== 'scheduled') throw refused('given another time', file);
    const { clock, save } = this.#deps;
    save({ ...file, startAtMs: futureStart(startAtMs, clock.nowMs()), error: null });
    this.starts.changed(file.id);
  }

  /** False where there was no plan. It can be sent again like one that was cancelled on its way. */
  callsOff(file: StoredWholeFile): boolean {
    if (file.state !== 'scheduled') return false;
    const { clock, save } = this.#deps;
    save({ ...file, state: 'cancelled', startAtMs: null, error: null, endedAtMs: clock.nowMs() });
    this.starts.changed(file.id);
    return true;
  }

  startNow(file: StoredWholeFile): void {
    const { refusal, send } = this.#deps;
    const problem = refusal();
    if (problem !== null) throw problem;
    this.#claim(file.id, null);
    this.starts.changed(file.id);
    send(file.id);
  }

  /** Without a way to the service it stays planned; whatever else stands in its way is said and ends it. */
  #begin(id: string, nowMs: number): void {
    const { refusal, get, save, send } = this.#deps;
    const file = get(id);
    if (file.state !== 'scheduled' || file.startAtMs === null || file.startAtMs > nowMs) return;
    const problem = refusal();
    if (problem === null) {
      this.#claim(id, nowMs);
      this.#begunFor.set(id, file.startAtMs);
      send(id);
    } else if (problem.retry === 'later') {
      this.#stayPlanned(file, file.startAtMs, problem);
    } else {
      save({ ...file, state: 'failed', startAtMs: null, error: problem.toWire(), endedAtMs: nowMs });
    }
  }

  #stayPlanned(file: StoredWholeFile, startAtMs: number, problem: AppError): void {
    const again = { state: 'scheduled', startAtMs, lateStart: null, endedAtMs: null } as const;
    this.#deps.save({ ...file, ...again, error: problem.toWire() });
    this.starts.putOff(file.id, AGAIN_MS);
  }

  /** True where it goes back to being planned: it was begun at its time, and nothing of it left. */
  goesBack(file: StoredWholeFile, problem: AppError): boolean {
    const plannedAtMs = this.#begunFor.get(file.id);
    this.#begunFor.delete(file.id);
    const isUnsent = problem.details.outcome === 'unsent' && problem.retry === 'later';
    if (plannedAtMs === undefined || !isUnsent || file.state !== 'sending' || file.partsSent > 0)
      return false;
    this.#stayPlanned(file, plannedAtMs, problem);
    return true;
  }

  /** From planned to being sent, in one step: of two processes one gets it. */
  #claim(id: string, nowMs: number | null): void {
    const { store, clock, options, get, save } = this.#deps;
    const claimed = store.commit(() => {
      const file = get(id);
      if (file.state !== 'scheduled') throw refused('started', file);
      const lateStart = nowMs === null ? null : lateStartOf(file.startAtMs ?? nowMs, nowMs);
      const { processId } = options;
      const next: StoredWholeFile = {
        ...file,
        ...{ state: 'sending', startAtMs: null, lateStart, error: null, processId },
        startedAtMs: clock.nowMs(),
      };
      store.wholeFiles.save(next);
      return next;
    });
    save(claimed);
  }

  source(): PlannedSource {
    const { store, get, control } = this.#deps;
    return {
      kind: 'file',
      starts: this.starts,
      list: () =>
        readable(store.wholeFiles.scheduled(), ({ id, startAtMs }) => {
          const { name, error, publishes, ...file } = toView(get(id));
          const publishing = publishes ? [{ operation: 'events.publish', count: 1 }] : [];
          const requests = [...requestsOf(file.parts), ...publishing];
          return { kind: 'file', id, title: name, startAtMs, error, requests, of: null };
        }),
      control: (id, action, startAtMs) => control(id, action, startAtMs),
    };
  }
}
