/**
 * Durable jobs of every kind in the active connection. They are read when the connection is entered, and then updated
 * by events.
 */

import type { InvokeArgs, InvokeResults } from '../../electron/shared/contract.ts';
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import { type AppError, fromWire, toAppError } from '../../electron/shared/errors.ts';
import type {
  ActionOf,
  ChangeKind,
  ChangeOf,
  DecideKind,
  FileOf,
  ForgetKind,
  Job,
  JobKindId,
  JobPage,
  JobPlan,
  OwnOf,
  PartDecision,
  PartKind,
  PartOf,
  PartQuery,
  PlanAnswers,
  PlanKind,
  PlanRequest,
  SaveKind,
} from '../../electron/shared/job-contract.ts';
import { buildAsJob } from '../../electron/shared/job-kinds/build.ts';
import type { RepeatChange } from '../../electron/shared/repeat-model.ts';
import { type Numbered, client as realClient } from '../lib/client.ts';
import { Newest } from './newest.ts';

type Client = Pick<typeof realClient, 'invoke' | 'ask' | 'on'>;
/** Identifies a job. */
export interface JobName<K extends JobKindId = JobKindId> {
  kind: K;
  id: string;
}

const PAGE = 500;
const keyOf = ({ kind, id }: JobName): string => `${kind} ${id}`;

export class JobsState {
  /** Jobs of all kinds, newest first. */
  list = $state.raw<readonly Job[]>([]);
  isLoaded = $state(false);
  connectionId = $state<string | null>(null);
  /** The error if no jobs could be read. */
  error = $state.raw<AppError | null>(null);
  #failures = $state.raw<JobPage['failures']>([]);
  readonly #byKind = $derived(Map.groupBy(this.list, ({ kind }) => kind));
  /** Jobs with a planned start, the next one first. */
  readonly planned: readonly Job[] = $derived(
    this.list
      .filter(({ startAtMs }) => startAtMs !== null)
      .toSorted((one, other) => (one.startAtMs ?? 0) - (other.startAtMs ?? 0)),
  );
  readonly #newest = new Newest();
  readonly #client: Client;

  constructor(client: Client = realClient) {
    this.#client = client;
  }

  /** Returns a function that unsubscribes. */
  listen(): () => void {
    return this.#client.on('jobs:changed', ({ connectionId, job, ...name }, seq) => {
      if (connectionId !== this.connectionId) return;
      if (job === null) this.#drop(name);
      else this.#put(job, seq);
    });
  }

  async watch(connectionId: string): Promise<void> {
    if (this.connectionId !== connectionId) {
      this.connectionId = connectionId;
      this.list = [];
      this.isLoaded = false;
      this.#failures = [];
      this.error = null;
      this.#newest.clear();
    }
    await this.load();
  }

  /** Reads all jobs. Errors are shown in the views concerned. */
  async load(): Promise<void> {
    const { connectionId } = this;
    if (connectionId === null) return;
    try {
      const { value, seq } = await this.#readAll(connectionId);
      if (connectionId !== this.connectionId) return;
      const unread = new Set(value.failures.map(({ kind }) => kind));
      // Jobs of kinds that could not be read keep their last known state.
      const kept = this.list.filter(({ kind }) => unread.has(kind));
      this.list = this.#newest.merge<Job>([...value.jobs, ...kept], seq, this.list, keyOf);
      this.#failures = value.failures;
      this.isLoaded = true;
      this.error = null;
    } catch (thrown) {
      if (connectionId === this.connectionId) this.error = toAppError(thrown);
    }
  }

  async #readAll(connectionId: string): Promise<Numbered<JobPage>> {
    const all = { kinds: null, states: null, search: null, limit: PAGE };
    const { value, seq } = await this.#client.ask('jobs:list', { connectionId, ...all, offset: 0 });
    const jobs = new Map(value.jobs.map((job) => [keyOf(job), job]));
    for (let offset = PAGE; offset < value.total; offset += PAGE) {
      const page = await this.#client.invoke('jobs:list', { connectionId, ...all, offset });
      for (const job of page.jobs) jobs.set(keyOf(job), job);
    }
    return { value: { ...value, jobs: [...jobs.values()] }, seq };
  }

  /** Jobs of one kind, in the form of that kind, newest first. Reactive. */
  of<K extends JobKindId>(kind: K): OwnOf<K>[] {
    return this.ofKind(kind).map(({ own }) => own);
  }

  ofKind<K extends JobKindId>(kind: K): readonly Job<K>[] {
    // The grouping by kind guarantees the type.
    return (this.#byKind.get(kind) ?? []) as unknown as Job<K>[];
  }

  find<K extends JobKindId>(kind: K, id: string | null | undefined): Job<K> | null {
    return this.ofKind(kind).find((job) => job.id === id) ?? null;
  }

  own<K extends JobKindId>(kind: K, id: string | null | undefined): OwnOf<K> | null {
    return this.find(kind, id)?.own ?? null;
  }

  errorOf(kind: JobKindId): AppError | null {
    const failure = this.#failures.find((each) => each.kind === kind);
    return this.error ?? (failure === undefined ? null : fromWire(failure.error));
  }

  #put(job: Job, seq: number): void {
    if (!this.#newest.takes(seq, keyOf(job))) return;
    const at = this.list.findIndex((each) => keyOf(each) === keyOf(job));
    this.list = at === -1 ? [job, ...this.list] : this.list.with(at, job);
  }

  #drop(name: JobName): void {
    this.#newest.end(keyOf(name));
    this.list = this.list.filter((job) => keyOf(job) !== keyOf(name));
  }

  /** An answer about another connection is ignored. */
  #take<K extends JobKindId>(connectionId: string, { value, seq }: Numbered<Job>): Job<K> {
    if (connectionId === this.connectionId) this.#put(value, seq);
    // The answer is of the requested kind.
    return value as Job<K>;
  }

  /** Updates a build from the answer of a builds channel. */
  takeBuild({ value, seq }: Numbered<DatasetBuild>): DatasetBuild {
    const { connectionId, buildId } = value;
    const planned = () => this.find('build', buildId)?.requests ?? [];
    return this.#take<'build'>(connectionId, { value: buildAsJob(value, planned), seq }).own;
  }

  get #here(): string {
    return this.connectionId ?? '';
  }

  /** Creates a job. `startAtMs`: wall time of an automatic start; null to start now. Throws AppError. */
  async create<K extends JobKindId>(
    kind: K,
    plan: JobPlan<K>,
    startAtMs: number | null = null,
    connectionId = this.#here,
  ): Promise<OwnOf<K>> {
    // The union type of the contract, which includes this type of `plan`.
    const argument = { connectionId, kind, plan, startAtMs } as unknown as InvokeArgs<'jobs:create'>;
    return this.#take<K>(connectionId, await this.#client.ask('jobs:create', argument)).own;
  }

  /** Makes a change that only this kind of job supports. Throws AppError. */
  async change<K extends ChangeKind>(
    { kind, id }: JobName<K>,
    change: ChangeOf<K>,
    connectionId = this.#here,
  ): Promise<OwnOf<K>> {
    // The union types of the contract, which include these types.
    const argument = { connectionId, kind, id, change } as InvokeArgs<'jobs:change'>;
    return this.#take<K>(connectionId, await this.#client.ask('jobs:change', argument)).own;
  }

  /** Controls a job. `startAtMs`: wall time, only for `schedule`. Throws AppError. */
  async control<K extends JobKindId>(
    { kind, id }: JobName<K>,
    action: ActionOf<K>,
    startAtMs: number | null = null,
  ): Promise<void> {
    const connectionId = this.#here;
    const argument = { connectionId, kind, id, action, startAtMs } as InvokeArgs<'jobs:control'>;
    try {
      this.#take<K>(connectionId, await this.#client.ask('jobs:control', argument));
    } catch (thrown) {
      // The error may mean that the shown state is outdated.
      await this.load();
      throw thrown;
    }
  }

  /**
   * Sets, pauses, resumes or ends the repeat of a job. For a job that has ended, a following job is created. Throws
   * AppError.
   */
  async repeat({ kind, id }: JobName, change: RepeatChange): Promise<void> {
    const connectionId = this.#here;
    this.#take(connectionId, await this.#client.ask('jobs:repeat', { connectionId, kind, id, change }));
  }

  /** Decides how to proceed with a part whose outcome is unknown. Throws AppError. */
  async decide({ kind, id }: JobName<DecideKind>, part: number, decision: PartDecision): Promise<void> {
    const connectionId = this.#here;
    const argument = { connectionId, kind, id, part, decision };
    this.#take(connectionId, await this.#client.ask('jobs:decide', argument));
  }

  /** The cost of the job, before anything is sent. Throws AppError. */
  async plan<K extends PlanKind>(
    kind: K,
    of: PlanRequest<K>,
    connectionId = this.#here,
  ): Promise<PlanAnswers[K]> {
    // The union types of the contract, which include these types.
    const argument = { connectionId, kind, ...of } as unknown as InvokeArgs<'jobs:plan'>;
    return (await this.#client.invoke('jobs:plan', argument)) as PlanAnswers[K];
  }

  /** Throws AppError. */
  async parts<K extends PartKind>(
    { kind, id }: JobName<K>,
    query: PartQuery<K>,
    connectionId = this.#here,
  ): Promise<{ rows: PartOf<K>[]; total: number }> {
    const argument = { connectionId, kind, id, ...query } as InvokeArgs<'jobs:parts'>;
    const { parts, total } = await this.#client.invoke('jobs:parts', argument);
    return { rows: parts as PartOf<K>[], total };
  }

  /** Removes a job that is not running. Throws AppError. */
  async forget({ kind, id }: JobName<ForgetKind>, connectionId = this.#here): Promise<void> {
    await this.#client.invoke('jobs:forget', { connectionId, kind, id });
    this.#drop({ kind, id });
  }

  /** Restores a removed or discarded job in its previous state. Throws AppError. */
  async restore(name: JobName<'build'> | JobName<'outbox'> | JobName<'keep-offline'>): Promise<void> {
    this.#newest.begin(keyOf(name));
    await this.control(name, 'restore');
  }

  /** Asks where to save, and saves. Returns null if the user cancelled. Throws AppError. */
  save<K extends SaveKind>(
    { kind, id }: JobName<K>,
    what: FileOf<K>,
    connectionId = this.#here,
  ): Promise<InvokeResults['jobs:save']> {
    const argument = { connectionId, kind, id, what } as InvokeArgs<'jobs:save'>;
    return this.#client.invoke('jobs:save', argument);
  }

  /** Saves a draft, which starts once the user chose a file and is removed otherwise. Throws AppError. */
  async saveDraft<K extends 'export' | 'mirror'>(
    name: JobName<K>,
    what: FileOf<K>,
    connectionId: string,
  ): Promise<InvokeResults['jobs:save']> {
    let saved: InvokeResults['jobs:save'] = null;
    try {
      saved = await this.save(name, what, connectionId);
      return saved;
    } finally {
      if (saved === null) await this.forget(name, connectionId);
    }
  }
}

export const jobs = new JobsState();
