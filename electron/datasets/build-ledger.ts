/** Holds one build in memory and on disk. Every change is a transition, and is on disk before it is reported. */
import { type BuildCore, type BuildEvent, countsOf, isIdle, transition } from '../core/jobs/build-job.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { isoOf } from '../core/spans/call-range.ts';
import { mappingProblems } from '../core/spans/span-mapping.ts';
import type { DatasetStore, ShapeCount, StoredBuild } from '../db/build-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import type { BuildCounts, DatasetBuild, TimeRange } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';

interface LedgerDeps {
  connectionId: string;
  store: DatasetStore;
  clock: Clock;
  logger: Logger;
  onBuildChanged: (build: DatasetBuild) => void;
}

export class BuildLedger extends JobLedger<BuildCore, BuildEvent, StoredBuild, DatasetBuild> {
  readonly #deps: LedgerDeps;
  readonly #store: DatasetStore;
  /** Revision of the stored build that this process has read. */
  revision: number;
  /** Number of spans without a record; null if it must be counted again. */
  #withoutRecord: number | null = null;
  #shapes: { revision: number; shapes: readonly ShapeCount[] } | null = null;

  constructor(deps: LedgerDeps, build: StoredBuild, revision: number) {
    const { store, onBuildChanged: onChanged } = deps;
    const { id } = build;
    super(
      {
        ...deps,
        id,
        what: 'build',
        // Any process may change a build while nothing is in flight, so each commit checks for changes by others.
        commit: (work) => {
          const done = store.commit(() => {
            if (store.builds.revision(id) !== this.revision) throw changedElsewhere();
            return work();
          });
          this.revision += 1;
          return done;
        },
        save: (stored) => store.builds.save(stored),
        onChanged,
        pause: (error) => ({ type: 'pause', reason: error.message, error: error.toWire() }),
      },
      build,
      coreOf(build, store.spans.tallies(id)),
    );
    this.#deps = deps;
    this.#store = store;
    this.revision = revision;
  }

  get isIdle(): boolean {
    return isIdle(this.core.state);
  }

  /** Key sets of the picked spans, without excluded spans. Read once for each revision of the build. */
  shapes(): readonly ShapeCount[] {
    const { revision } = this;
    if (this.#shapes?.revision !== revision) {
      this.#shapes = { revision, shapes: this.#store.spans.shapes(this.id) };
    }
    return this.#shapes.shapes;
  }

  counts(): BuildCounts {
    this.#withoutRecord ??= this.#store.spans.countWithoutRecord(this.id);
    return countsOf(this.core.tallies, this.#withoutRecord);
  }

  /** Must be called after records were stored for spans that had only their ids. */
  recount(): void {
    this.#withoutRecord = null;
  }

  protected step(core: BuildCore, event: BuildEvent): BuildCore {
    return transition(core, event);
  }

  protected isOver({ state }: BuildCore): boolean {
    return state === 'done' || state === 'cancelled';
  }

  protected override kept(): Partial<StoredBuild> {
    return { changedAtMs: this.#deps.clock.nowMs() };
  }

  protected override onChange(_before: BuildCore, events: readonly BuildEvent[]): void {
    if (events.some(({ type }) => type === 'picked' || type === 'unpicked')) this.#withoutRecord = null;
  }

  protected override isUrgent(before: BuildCore, stood: StoredBuild): boolean {
    return super.isUrgent(before, stood) || this.stored.fill?.phase !== stood.fill?.phase;
  }

  view(): DatasetBuild {
    const { id: buildId, name, applicationId, applicationName, mapping, target, datasetId } = this.stored;
    const {
      skipsAdded,
      skipsUnresolved,
      nearDuplicates,
      timeRange,
      marginMs,
      search,
      recheck,
      ask,
      fill,
      check,
    } = this.stored;
    const { createdAtMs, changedAtMs, endedAtMs } = this.stored;
    const { state, reason, error, startAtMs, lateStart } = this.core;
    const { batches, steps } = this.#store;
    const { undo, redo } = state === 'editing' ? steps.next(buildId) : { undo: null, redo: null };
    return {
      buildId,
      connectionId: this.#deps.connectionId,
      name,
      applicationId,
      applicationName,
      state,
      reason,
      error,
      mapping,
      target,
      datasetId,
      skipsAdded,
      skipsUnresolved,
      nearDuplicates: nearDuplicates && {
        threshold: nearDuplicates.threshold,
        found: nearDuplicates.found,
        skipped: nearDuplicates.skipped.length,
      },
      timeRange,
      marginMs,
      search,
      recheck,
      ask,
      counts: this.counts(),
      batches: {
        total: batches.count(buildId, null),
        acknowledged: batches.count(buildId, ['acknowledged']),
        unknown: batches.count(buildId, ['unknown']),
        doubtful: batches.count(buildId, ['doubtful']),
      },
      doubt: batches.list(buildId, ['doubtful'], 0, 1)[0]?.error ?? null,
      fill,
      undo: undo && { what: undo.what, spans: undo.spans },
      redo: redo && { what: redo.what, spans: redo.spans },
      check,
      spanRange: spanRangeOf(this.stored),
      problems: problemsOf(this.stored, this.counts()),
      startAtMs,
      lateStart,
      createdAtMs,
      changedAtMs,
      endedAtMs,
    };
  }
}

function coreOf(
  { state, reason, error, startAtMs, lateStart }: StoredBuild,
  tallies: BuildCore['tallies'],
): BuildCore {
  return { state, reason, error, startAtMs, lateStart, tallies };
}

function changedElsewhere(): AppError {
  return new AppError(
    'CONFLICT',
    'Another Spandeck (a window or a command line) has changed this build. Check it again, then repeat.',
    { outcome: 'unsent' },
  );
}

function spanRangeOf({ firstStartMs, lastStartMs }: StoredBuild): TimeRange | null {
  if (firstStartMs === null || lastStartMs === null) return null;
  return { startTime: isoOf(firstStartMs), endTime: isoOf(lastStartMs) };
}

/** Problems that prevent sending a build, as texts; empty if it can be sent. */
function problemsOf(build: StoredBuild, counts: BuildCounts): string[] {
  const problems: string[] = [];
  if (counts.picked === 0) problems.push('Select at least one span.');
  else if (build.state === 'editing' && counts.unsent === 0) problems.push(leftOutText(counts));
  problems.push(...mappingProblems(build.mapping));
  if (build.target === null) problems.push('Choose a dataset or name a new one.');
  else if (build.target.kind === 'new' && build.target.name.trim() === '') {
    problems.push('Name the new dataset.');
  }
  if (build.fill?.phase === 'running') problems.push('Spans are still being selected.');
  return problems;
}

function leftOutText({ excluded, added }: BuildCounts): string {
  const parts = [
    ...(excluded > 0 ? [`${excluded} excluded`] : []),
    ...(added > 0 ? [`${added} in the dataset already`] : []),
  ];
  return `Every selected span is skipped (${parts.join(', ')}).`;
}

/** A problem that a person must solve before the build is sent; null if it can be sent. */
export function obstacleOf(ledger: BuildLedger, isReadOnly: boolean): AppError | null {
  const unsent = { outcome: 'unsent' } as const;
  const problems = ledger.core.state === 'editing' ? problemsOf(ledger.stored, ledger.counts()) : [];
  if (problems.length > 0) {
    return new AppError('INVALID_ARGUMENT', `Nothing was sent. ${problems.join(' ')}`, unsent);
  }
  if (!isReadOnly) return null;
  return new AppError(
    'READ_ONLY',
    'Adding items changes data, and this connection is read-only. Switch that off in the connection to send the build.',
    unsent,
  );
}

/** The ledgers of a connection. A ledger is reloaded after another process wrote its build. */
export class BuildLedgers {
  readonly #deps: LedgerDeps;
  readonly #known = new Map<string, BuildLedger>();

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
  }

  /** Throws INVALID_ARGUMENT if the build does not exist. */
  get(buildId: string): BuildLedger {
    const { store } = this.#deps;
    const known = this.#known.get(buildId);
    // The revision is read before the build, so that a write by another process in between causes a conflict.
    const revision = store.builds.revision(buildId);
    if (known !== undefined && revision === known.revision) return known;
    // A build that is being sent belongs to its runner, where a change by others causes a conflict.
    if (known !== undefined && known.holdsLease !== null) return known;
    const build = store.builds.get(buildId);
    known?.discard();
    if (build === null || revision === null) {
      this.#known.delete(buildId);
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected a build of this connection; none has the id ${buildId}.`,
      );
    }
    const ledger = new BuildLedger(this.#deps, build, revision);
    this.#known.set(buildId, ledger);
    return ledger;
  }

  drop(buildId: string): void {
    this.#known.get(buildId)?.discard();
    this.#known.delete(buildId);
  }

  /** Reports pending changes and stops all timers. */
  stop(): void {
    for (const ledger of this.#known.values()) ledger.close();
    this.#known.clear();
  }
}
