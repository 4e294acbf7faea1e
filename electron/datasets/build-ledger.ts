/** One build as memory and disk hold it. Every change is a transition, on the disk before anyone hears of it. */
import { type BuildCore, type BuildEvent, countsOf, transition } from '../core/build-job.ts';
import { isoOf } from '../core/call-range.ts';
import { Notices } from '../core/notices.ts';
import type { Clock, Logger } from '../core/ports.ts';
import { mappingProblems } from '../core/span-mapping.ts';
import type { DatasetStore, ShapeCount, StoredBuild } from '../db/build-store.ts';
import type { BuildCounts, DatasetBuild, TimeRange } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';

export interface LedgerDeps {
  connectionId: string;
  store: DatasetStore;
  clock: Clock;
  logger: Logger;
  onBuildChanged: (build: DatasetBuild) => void;
}

/** Views hear of a build at most this often, and of a new state at once. */
const NOTIFY_EVERY_MS = 250;

export class BuildLedger {
  readonly #deps: LedgerDeps;
  readonly #store: DatasetStore;
  #build: StoredBuild;
  #core: BuildCore;
  #withoutRecord: number;
  #shapes: { revision: number; shapes: readonly ShapeCount[] } | null = null;
  readonly #notices: Notices;
  /** While something of it is on its way: does this process still hold the lease? Looked at in every transaction. */
  holdsLease: (() => boolean) | null = null;

  constructor(deps: LedgerDeps, build: StoredBuild) {
    this.#deps = deps;
    this.#store = deps.store;
    this.#build = build;
    this.#notices = new Notices(deps.clock, NOTIFY_EVERY_MS, () => deps.onBuildChanged(this.view()));
    const { state, reason, error, startAtMs, lateStart, buildId } = build;
    const tallies = this.#store.spans.tallies(buildId);
    this.#core = { state, reason, error, startAtMs, lateStart, tallies };
    this.#withoutRecord = this.#store.spans.countWithoutRecord(buildId);
  }

  get build(): StoredBuild {
    return this.#build;
  }

  get core(): BuildCore {
    return this.#core;
  }

  get id(): string {
    return this.#build.buildId;
  }

  /** Key sets of the picked spans, excluded ones left out; read once for each state of the build. */
  shapes(): readonly ShapeCount[] {
    const { revision } = this.#build;
    if (this.#shapes?.revision !== revision) {
      this.#shapes = { revision, shapes: this.#store.spans.shapes(this.id) };
    }
    return this.#shapes.shapes;
  }

  counts(): BuildCounts {
    return countsOf(this.#core.tallies, this.#withoutRecord);
  }

  /**
   * Applies events and writes the build and `also` in one transaction. `counted`: a change of spans that says itself
   * how many it moved. Throws what `transition` throws, DISK_FULL, STORE_FAILED, and CONFLICT where another process changed it;
   * then nothing has changed, in memory neither.
   */
  apply(
    events: readonly BuildEvent[],
    changes: Partial<StoredBuild> = {},
    also: () => void = () => undefined,
    counted: () => readonly BuildEvent[] = () => [],
  ): void {
    const before = events.reduce(transition, this.#core);
    const { core, build } = this.#store.commit(() => {
      if (this.holdsLease?.() === false) throw changedElsewhere();
      if (this.#store.builds.revision(this.id) !== this.#build.revision) throw changedElsewhere();
      also();
      const core = counted().reduce(transition, before);
      const build = this.#merged(core, changes);
      this.#store.builds.save(build);
      return { core, build };
    });
    if (events.some(({ type }) => type === 'picked' || type === 'unpicked')) {
      this.#withoutRecord = this.#store.spans.countWithoutRecord(this.id);
    }
    this.#accept({ ...build, revision: this.#build.revision + 1 }, core);
  }

  #merged({ tallies: _, ...core }: BuildCore, changes: Partial<StoredBuild>): StoredBuild {
    const nowMs = this.#deps.clock.nowMs();
    const endedAtMs = core.state === 'done' ? (this.#build.endedAtMs ?? nowMs) : null;
    return { ...this.#build, ...changes, ...core, endedAtMs, changedAtMs: nowMs };
  }

  /** As `apply`, but a full disk or a lost lease does not stop it: the state then holds in memory only. */
  applyAnyhow(events: readonly BuildEvent[]): void {
    try {
      this.apply(events);
    } catch (problem) {
      const error = toAppError(problem);
      if (!['DISK_FULL', 'STORE_FAILED', 'CONFLICT'].includes(error.code)) throw error;
      this.#deps.logger.error('build state not written', { build: this.id, code: error.code });
      const core = events.reduce(transition, this.#core);
      const { tallies: _, ...kept } = core;
      this.#accept({ ...this.#build, ...kept }, core);
    }
  }

  #accept(build: StoredBuild, core: BuildCore): void {
    const isUrgent =
      core.state !== this.#core.state ||
      core.startAtMs !== this.#core.startAtMs ||
      build.fill?.phase !== this.#build.fill?.phase;
    this.#build = build;
    this.#core = core;
    this.#notices.note(isUrgent);
  }

  /** The last notice is given now, no timer is left. */
  close(): void {
    this.#notices.flush();
  }

  /** It is gone, or read anew: nothing is told of it any more. */
  discard(): void {
    this.#notices.discard();
  }

  view(): DatasetBuild {
    const { buildId, name, applicationId, applicationName, mapping, target, datasetId } = this.#build;
    const { skipsAdded, skipsUnresolved, timeRange, marginMs, fill, check } = this.#build;
    const { createdAtMs, changedAtMs, endedAtMs } = this.#build;
    const { state, reason, error, startAtMs, lateStart } = this.#core;
    const batches = this.#store.batches;
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
      timeRange,
      marginMs,
      counts: this.counts(),
      batches: {
        total: batches.count(buildId, null),
        acknowledged: batches.count(buildId, ['acknowledged']),
        unknown: batches.count(buildId, ['unknown']),
        doubtful: batches.countDoubtful(buildId),
      },
      doubt: batches.firstDoubt(buildId)?.error ?? null,
      fill,
      check,
      spanRange: spanRangeOf(this.#build),
      problems: problemsOf(this.#build, this.counts()),
      startAtMs,
      lateStart,
      createdAtMs,
      changedAtMs,
      endedAtMs,
    };
  }
}

function changedElsewhere(): AppError {
  return new AppError(
    'CONFLICT',
    'Another Spandeck (a window or a command line) has changed this build meanwhile. Look at it again, then repeat.',
    { outcome: 'unsent' },
  );
}

function spanRangeOf({ firstStartMs, lastStartMs }: StoredBuild): TimeRange | null {
  if (firstStartMs === null || lastStartMs === null) return null;
  return { startTime: isoOf(firstStartMs), endTime: isoOf(lastStartMs) };
}

/** What stands against sending a build, in words; empty when nothing does. */
export function problemsOf(build: StoredBuild, counts: BuildCounts): string[] {
  const problems: string[] = [];
  if (counts.picked === 0) problems.push('Pick at least one span.');
  else if (build.state === 'editing' && counts.unsent === 0) problems.push(leftOutText(counts));
  problems.push(...mappingProblems(build.mapping));
  if (build.target === null) problems.push('Choose a dataset or name a new one.');
  else if (build.target.kind === 'new' && build.target.name.trim() === '') {
    problems.push('The new dataset has no name.');
  }
  if (build.fill?.phase === 'running') problems.push('Spans are still being picked.');
  return problems;
}

function leftOutText({ excluded, added }: BuildCounts): string {
  const parts = [
    ...(excluded > 0 ? [`${excluded} excluded`] : []),
    ...(added > 0 ? [`${added} in the dataset already`] : []),
  ];
  return `Every picked span is left out (${parts.join(', ')}).`;
}

/** The ledgers of a connection, read anew where another process wrote. */
export class BuildLedgers {
  readonly #deps: LedgerDeps;
  readonly #known = new Map<string, BuildLedger>();

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
  }

  /** Throws INVALID_ARGUMENT for a build that is not there. */
  get(buildId: string): BuildLedger {
    const { store } = this.#deps;
    const known = this.#known.get(buildId);
    if (known !== undefined && store.builds.revision(buildId) === known.build.revision) return known;
    // What is being worked on belongs to its worker: a change by others shows there as a conflict.
    if (known !== undefined && known.holdsLease !== null) return known;
    const build = store.builds.get(buildId);
    known?.discard();
    if (build === null) {
      this.#known.delete(buildId);
      throw new AppError(
        'INVALID_ARGUMENT',
        `Expected a build of this connection; there is none with the id ${buildId}.`,
      );
    }
    const ledger = new BuildLedger(this.#deps, build);
    this.#known.set(buildId, ledger);
    return ledger;
  }

  drop(buildId: string): void {
    this.#known.get(buildId)?.discard();
    this.#known.delete(buildId);
  }

  /** The last notices are given, no timer is left. */
  stop(): void {
    for (const ledger of this.#known.values()) ledger.close();
    this.#known.clear();
  }
}
