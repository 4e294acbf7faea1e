/** The jobs of all kinds of one connection in one list, and the actions on them. */
import { damageOf, readable } from '../core/readable.ts';
import type { AnyJobSource, JobSource } from '../jobs/source.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type {
  ChangeKind,
  ChangeOf,
  DecideKind,
  FileOf,
  ForgetKind,
  Job,
  JobEvents,
  JobKindId,
  JobPage,
  JobPlan,
  JobQuery,
  PartDecision,
  PartKind,
  PartOf,
  PartQuery,
  PlanAnswers,
  PlanKind,
  PlanRequest,
  SaveKind,
} from '../shared/job-contract.ts';
import { JOB_KINDS } from '../shared/job-contract.ts';
import type { JobAction } from '../shared/job-kinds/job-kind.ts';
import type { RepeatChange } from '../shared/repeat-model.ts';

type JobNews = Omit<JobEvents['jobs:changed'], 'connectionId'>;

export class JobKinds {
  readonly #sources: ReadonlyMap<JobKindId, AnyJobSource>;
  readonly #onChange: (news: JobNews) => void;
  /** The last reported planned starts, to detect which job has another one. */
  readonly #plans = new Map<JobKindId, ReadonlyMap<string, number>>();

  constructor(sources: readonly AnyJobSource[], onChange: (news: JobNews) => void) {
    this.#sources = new Map(sources.map((source) => [source.kind, source]));
    this.#onChange = onChange;
    for (const source of sources) {
      source.jobs.starts.listen(() => this.#sayPlans(source));
    }
  }

  #source<K extends JobKindId>(kind: K): JobSource<K> {
    const source = this.#sources.get(kind);
    if (source === undefined) throw new AppError('INTERNAL', `There is no kind of job "${kind}".`);
    return source as unknown as JobSource<K>;
  }

  /** Reports planned starts that this or another process has changed. */
  #sayPlans(source: AnyJobSource): void {
    const before = this.#plans.get(source.kind) ?? new Map<string, number>();
    const now = new Map(source.jobs.starts.all().map(({ id, startAtMs }) => [id, startAtMs]));
    this.#plans.set(source.kind, now);
    for (const id of new Set([...before.keys(), ...now.keys()])) {
      if (before.get(id) === now.get(id)) continue;
      this.#onChange({ kind: source.kind, id, job: jobOrNone(source, id) });
    }
  }

  /**
   * Jobs, newest first. Only the jobs of the page are read completely, unless states are requested. An unreadable kind
   * or job does not affect the others.
   */
  list({ kinds, states, search, offset, limit }: JobQuery): JobPage {
    const failures: JobPage['failures'] = [];
    const text = search?.trim().toLowerCase() ?? '';
    const heads = [...this.#sources.values()]
      .filter(({ kind }) => kinds === null || kinds.includes(kind))
      .flatMap((source) => {
        try {
          return source.jobs.listed().map((head) => ({ source, ...head }));
        } catch (thrown) {
          failures.push({ kind: source.kind, error: toAppError(thrown).toWire() });
          return [];
        }
      })
      .filter(({ title }) => text === '' || title.toLowerCase().includes(text))
      .toSorted((one, other) => other.createdAtMs - one.createdAtMs);
    const read = (some: typeof heads) => readable(some, ({ source, id }): Job => source.get(id));
    if (states === null)
      return { jobs: read(heads.slice(offset, offset + limit)), total: heads.length, failures };
    const matching = read(heads).filter(({ state }) => states.includes(state));
    return { jobs: matching.slice(offset, offset + limit), total: matching.length, failures };
  }

  /** Jobs that start automatically later, the next one first. */
  planned(): Job[] {
    return [...this.#sources.values()]
      .flatMap((source): Job[] => readable(source.jobs.starts.all(), ({ id }) => source.get(id)))
      .toSorted((one, other) => (one.startAtMs ?? 0) - (other.startAtMs ?? 0));
  }

  /**
   * Call before a change of a job. Waits if its process was silent for long, e.g. because the computer slept, until it is
   * known whether that process still runs.
   */
  async whenJudged(kind: JobKindId, id: string): Promise<void> {
    const judged = this.#source(kind).jobs.whenJudged(id);
    if (judged !== null) await judged;
  }

  get<K extends JobKindId>(kind: K, id: string): Job<K> {
    return this.#source(kind).get(id);
  }

  async plan<K extends PlanKind>(kind: K, of: PlanRequest<K>): Promise<PlanAnswers[K]> {
    return offered(await this.#source<K>(kind).plan?.(of), kind);
  }

  async create<K extends JobKindId>(kind: K, plan: JobPlan<K>, startAtMs: number | null): Promise<Job<K>> {
    return this.#source(kind).create(plan, startAtMs);
  }

  async change<K extends ChangeKind>(kind: K, id: string, change: ChangeOf<K>): Promise<void> {
    await this.#source<K>(kind).change?.(id, change);
  }

  async control<K extends JobKindId>(
    kind: K,
    id: string,
    action: JobAction,
    startAtMs: number | null,
  ): Promise<Job<K>> {
    await this.whenJudged(kind, id);
    const source = this.#source(kind);
    // A job that has started in the meantime must not be cancelled.
    if (action === 'unschedule' && !source.jobs.starts.all().some((planned) => planned.id === id)) {
      throw new AppError(
        'INVALID_ARGUMENT',
        'Expected a planned start, but it has already started or was cancelled.',
      );
    }
    return source.control(id, action, startAtMs);
  }

  /**
   * Changes the repeat of a job, and returns the job that has the repeat afterwards. Throws INVALID_ARGUMENT for a kind
   * that cannot repeat.
   */
  repeat<K extends JobKindId>(kind: K, id: string, change: RepeatChange): Job<K> {
    const { noRepeat } = JOB_KINDS[kind];
    if (noRepeat !== null)
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected a job that only reads to repeat (an export or a mirror), but ${noRepeat}.`,
      );
    return offered(this.#source(kind).repeat?.(id, change), kind);
  }

  /**
   * Resolves when a job has stopped, also after a planned start. Does not wait for work that the service continues by
   * itself.
   */
  async whenRest<K extends JobKindId>(kind: K, id: string): Promise<Job<K>> {
    const source = this.#source(kind);
    await source.whenRest(id);
    return source.get(id);
  }

  async decide(kind: DecideKind, id: string, part: number, decision: PartDecision): Promise<Job> {
    await this.whenJudged(kind, id);
    return offered(await this.#source<JobKindId>(kind).decide?.(id, part, decision), kind);
  }

  parts<K extends PartKind>(kind: K, id: string, query: PartQuery<K>): { parts: PartOf<K>[]; total: number } {
    return offered(this.#source<K>(kind).parts?.(id, query), kind);
  }

  async forget(kind: ForgetKind, id: string): Promise<void> {
    await this.whenJudged(kind, id);
    await this.#source<JobKindId>(kind).forget?.(id);
    this.#onChange({ kind, id, job: null });
  }

  fileName<K extends SaveKind>(kind: K, id: string, what: FileOf<K>): string {
    return offered(this.#source<K>(kind).fileName?.(id, what), kind);
  }

  async save<K extends SaveKind>(
    kind: K,
    id: string,
    what: FileOf<K>,
    path: string,
  ): Promise<{ rows: number }> {
    return offered(await this.#source<K>(kind).writeFile?.(id, what, path), kind);
  }
}

/** Null if the job was removed. */
function jobOrNone(source: AnyJobSource, id: string): Job | null {
  try {
    return source.get(id);
  } catch (thrown) {
    if (damageOf(thrown) === null && toAppError(thrown).code !== 'INVALID_ARGUMENT') throw thrown;
    return null;
  }
}

function offered<T>(value: T | undefined, kind: JobKindId): T {
  if (value === undefined) throw new AppError('INVALID_ARGUMENT', `A job of kind "${kind}" has none.`);
  return value;
}
