/**
 * Spans picked for a dataset, across pages, queries and starts. The main process stores the picks in a build. This
 * object knows which build receives them and which of the loaded rows are picked.
 */
import type { ListedSpans } from '../../electron/shared/coverage-model.ts';
import type { DatasetBuild, SpanRef, StepDirection } from '../../electron/shared/dataset-model.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import type { PickSource } from '../../electron/shared/pick-source.ts';
import { client } from '../lib/client.ts';
import { formatDay } from '../lib/format.ts';
import { textField } from '../lib/records.ts';
import { changeBuild } from './build-actions.ts';
import { clock } from './clock.svelte.ts';
import { jobs } from './jobs.svelte.ts';
import type { ActSteps } from './undo-history.svelte.ts';

type SpanRow = Record<string, unknown>;

/** Maximum number of spans in one call. */
const MAX_NAMED = 1_000;

interface PickResult {
  added: number;
  /** Number of rows that moved in the list meanwhile, or that cannot be identified. */
  missing: number;
}

interface BasketApplication {
  id: string;
  name: string;
}

interface BasketMemory {
  read: () => unknown;
  write: (buildId: string) => void;
  /** Runs work that nobody awaits, and reports its errors. */
  run: (work: () => Promise<void>) => unknown;
}

function spanRef(row: SpanRow): SpanRef | null {
  const [trace_id, span_id] = [textField(row, 'trace_id'), textField(row, 'span_id')];
  return trace_id === '' || span_id === '' ? null : { trace_id, span_id };
}

const keyOf = ({ trace_id, span_id }: SpanRef): string => `${trace_id}/${span_id}`;

export class Basket {
  readonly application: BasketApplication;
  buildId = $state<string | null>(null);
  /** The build that receives the picks; null until the first pick. A build that was sent accepts no more spans. */
  readonly build: DatasetBuild | null = $derived.by(() => {
    const build = jobs.own('build', this.buildId);
    return build?.state === 'editing' && build.applicationId === this.application.id ? build : null;
  });
  readonly count = $derived(this.build === null ? 0 : this.build.counts.picked);
  readonly isFilling = $derived(this.build?.fill?.phase === 'running');
  /** Builds of the application that accept spans, the last changed first. */
  readonly all: readonly DatasetBuild[] = $derived(
    jobs
      .of('build')
      .filter(({ state, applicationId }) => state === 'editing' && applicationId === this.application.id)
      .toSorted((one, other) => other.changedAtMs - one.changedAtMs),
  );

  #version = $state(0);
  readonly #picked = new Set<string>();
  /** How recent the state of each row is: when it was clicked here, or when the query that returned it was sent. */
  readonly #knownAt = new Map<string, number>();
  #moment = 0;
  /** Recently shown rows, latest last. They are queried again if the basket changes elsewhere. */
  #seen = new Map<string, SpanRef>();
  /** Drawn rows whose state has not been queried yet. */
  #unknown: SpanRow[] = [];
  #creating: Promise<DatasetBuild> | null = null;
  #turn: Promise<unknown> = Promise.resolve();
  /** State of the build for which the picked rows are known. */
  #markedFor = '';
  readonly #memory: BasketMemory;

  constructor(application: BasketApplication, memory: BasketMemory) {
    this.application = application;
    this.#memory = memory;
    const kept = memory.read();
    this.buildId = typeof kept === 'string' ? kept : null;
  }

  /** Sets the build that receives picks from now on. */
  use(buildId: string | null): void {
    this.buildId = buildId;
    this.#memory.write(buildId ?? '');
    this.#picked.clear();
    this.#knownAt.clear();
    this.#version += 1;
  }

  /** Whether a row is picked. If that is not known any more, it is queried. */
  isPicked(row: SpanRow): boolean {
    void this.#version;
    const ref = spanRef(row);
    if (ref === null || this.build === null) return false;
    if (!this.#seen.has(keyOf(ref))) this.#askLater(row);
    return this.#picked.has(keyOf(ref));
  }

  /** Combines the queries for all rows drawn at the same time. */
  #askLater(row: SpanRow): void {
    this.#unknown.push(row);
    if (this.#unknown.length > 1) return;
    queueMicrotask(() => {
      const rows = this.#unknown.splice(0);
      this.#memory.run(() => this.see(rows));
    });
  }

  /** Queries which of the rows that became visible are picked. */
  async see(rows: readonly SpanRow[]): Promise<void> {
    const refs = rows.map(spanRef).filter((ref) => ref !== null);
    for (const ref of refs) {
      this.#seen.delete(keyOf(ref));
      this.#seen.set(keyOf(ref), ref);
    }
    for (const key of [...this.#seen.keys()].slice(0, -MAX_NAMED)) {
      this.#seen.delete(key);
      this.#knownAt.delete(key);
      this.#picked.delete(key);
    }
    await this.#mark(refs);
  }

  /**
   * Queries the loaded rows again, because the basket was changed elsewhere: by picking a whole query, or in another
   * tab.
   */
  async update(): Promise<void> {
    const { build } = this;
    const state = build === null ? '' : `${build.buildId} ${build.counts.picked} ${build.changedAtMs}`;
    if (state === this.#markedFor) return;
    this.#markedFor = state;
    await this.#mark([...this.#seen.values()]);
  }

  async #mark(refs: readonly SpanRef[]): Promise<void> {
    const { build } = this;
    if (build === null || refs.length === 0) return;
    for (let at = 0; at < refs.length; at += MAX_NAMED) {
      const spans = refs.slice(at, at + MAX_NAMED);
      const { connectionId, buildId } = build;
      this.#moment += 1;
      const asked = this.#moment;
      const found = await client.act('builds:read', 'find-picked', { connectionId, buildId, spans });
      if (this.build?.buildId !== buildId) return;
      for (const [index, ref] of spans.entries())
        this.#put(keyOf(ref), found[index] !== null && found[index] !== undefined, asked);
    }
    this.#version += 1;
  }

  /** Stores the state of a row, unless the known state is newer than this answer. */
  #put(key: string, isPicked: boolean, at: number): void {
    if (at < (this.#knownAt.get(key) ?? 0)) return;
    this.#knownAt.set(key, at);
    if (isPicked) this.#picked.add(key);
    else this.#picked.delete(key);
  }

  /** Picks the rows, or unpicks them if all of them are picked. Throws AppError. */
  async toggle(
    query: ListQuery,
    rows: readonly { row: SpanRow; position: number | undefined }[],
  ): Promise<PickResult> {
    const named = rows.flatMap(({ row, position }) => {
      const ref = spanRef(row);
      return ref === null ? [] : [{ ...ref, position }];
    });
    const open = named.filter((ref) => this.build === null || !this.#picked.has(keyOf(ref)));
    if (open.length > 0) return this.#inTurn(() => this.#pick(query, open, rows.length - named.length));
    await this.unpick(named.map(({ trace_id, span_id }) => ({ trace_id, span_id })));
    return { added: 0, missing: 0 };
  }

  /** Picks spans by their positions in lists, as one undo step. Throws AppError. */
  pick(lists: readonly ListedSpans[]): Promise<PickResult> {
    return this.#inTurn(async () => {
      const result: PickResult = { added: 0, missing: 0 };
      for (const { query, spans } of lists) {
        const refs = spans.map(({ trace_id, span_id, position }) => ({ trace_id, span_id, position }));
        const { added, missing } = await this.#pick(query, refs, 0, result.added > 0);
        result.added += added;
        result.missing += missing;
      }
      return result;
    });
  }

  /** Picks spans of another basket by their positions in it, including their edits. Throws AppError. */
  pickOf(fromId: string, positions: readonly number[]): Promise<PickResult> {
    return this.#inTurn(async () => {
      const { connectionId, buildId, counts } = await this.#ensure();
      await changeBuild({ connectionId, buildId }, { type: 'pick-of', fromId, positions: [...positions] });
      return { added: (this.build?.counts.picked ?? counts.picked) - counts.picked, missing: 0 };
    });
  }

  /** `continues`: the pick belongs to the same undo step as the previous one. */
  async #pick(
    query: ListQuery,
    refs: readonly (SpanRef & { position: number | undefined })[],
    unnamed: number,
    continues = false,
  ): Promise<PickResult> {
    const { connectionId, buildId } = await this.#ensure();
    this.#show(refs, true);
    const placed = refs.flatMap(({ position, ...ref }) =>
      position === undefined ? [] : [{ ...ref, position }],
    );
    const result: PickResult = { added: 0, missing: unnamed + refs.length - placed.length };
    try {
      for (let at = 0; at < placed.length; at += MAX_NAMED) {
        const spans = placed.slice(at, at + MAX_NAMED);
        const argument = { connectionId, buildId, query, spans, continues: continues || at > 0 };
        const { value: answer, seq } = await client.ask('builds:pick-spans', argument);
        jobs.takeBuild({ value: answer.build, seq });
        result.added += answer.added;
        result.missing += answer.missing.length;
        this.#show(answer.missing, false);
      }
    } catch (thrown) {
      this.#show(refs, false);
      void this.#mark(refs.map(({ trace_id, span_id }) => ({ trace_id, span_id })));
      throw thrown;
    }
    return result;
  }

  /** Throws AppError. */
  async unpick(spans: readonly SpanRef[] | 'all'): Promise<void> {
    const { build } = this;
    if (build === null) return;
    const { connectionId, buildId } = build;
    const parts = spans === 'all' ? (['all'] as const) : partsOf(spans);
    if (spans === 'all') this.#unmarkAll();
    else this.#show(spans, false);
    await this.#inTurn(async () => {
      for (const [index, part] of parts.entries()) {
        const named = part === 'all' ? part : [...part];
        await changeBuild({ connectionId, buildId }, { type: 'unpick', spans: named, continues: index > 0 });
      }
    });
    this.#version += 1;
  }

  /** Undoes or redoes one step. Does nothing if there is none. Throws AppError. */
  async step(direction: StepDirection): Promise<void> {
    await this.#inTurn(async () => {
      const { build } = this;
      if (build === null || build[direction] === null || this.isFilling) return;
      const { connectionId, buildId } = build;
      await changeBuild({ connectionId, buildId }, { type: 'step', direction });
    });
  }

  /** Runs actions one after the other, because each is an undo step. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  /** Picks all spans of a source. Continues even if the view is left. Throws AppError. */
  async pickAll(source: PickSource): Promise<void> {
    const { connectionId, buildId } = await this.#ensure();
    await changeBuild({ connectionId, buildId }, { type: 'pick-all', source });
  }

  /**
   * Picks the spans of a file: into the current basket if the user chose it, otherwise into a new one named after the
   * file. Throws AppError.
   */
  async takeFile(source: Extract<PickSource, { kind: 'file' }>, intoCurrent: boolean): Promise<string> {
    const { connectionId, buildId } = intoCurrent
      ? await this.#ensure()
      : await this.begin(this.#nameFor(source.name));
    await changeBuild({ connectionId, buildId }, { type: 'pick-all', source });
    return buildId;
  }

  /** The name of the file without extension, followed by a number if a basket has that name. */
  #nameFor(fileName: string): string {
    return this.#free(
      fileName.replace(/(?:\.[a-z0-9]{1,8}){1,2}$/i, '').slice(0, 150) || fileName.slice(0, 150),
    );
  }

  /** Creates an empty basket that receives picks from now on. Throws AppError. */
  async begin(name: string): Promise<DatasetBuild> {
    const { id: applicationId, name: applicationName } = this.application;
    const build = await jobs.create('build', { applicationId, applicationName, name });
    this.use(build.buildId);
    return build;
  }

  /**
   * Creates a basket that receives picks from now on, and fills it by `pick`. If no span could be added, or `pick`
   * fails, the new basket is deleted and the previous one is used again. Throws AppError.
   */
  async beginWith(
    pick: () => Promise<PickResult>,
    work: (build: DatasetBuild) => Promise<void>,
  ): Promise<DatasetBuild> {
    const former = this.buildId;
    const build = await this.begin(this.proposedName());
    try {
      const { added } = await pick();
      if (added === 0) {
        const text =
          'No span was added: all of them have moved in their list. Read the list again, then try again.';
        throw new AppError('CONFLICT', text);
      }
      await work(build);
    } catch (thrown) {
      // The user may have chosen another basket meanwhile.
      if (this.buildId === build.buildId) this.use(former);
      await this.#memory.run(() => jobs.forget({ kind: 'build', id: build.buildId }));
      throw thrown;
    }
    return build;
  }

  /** Throws AppError. */
  async rename(name: string): Promise<void> {
    const { build } = this;
    if (build !== null) await changeBuild(build, { type: 'settings', patch: { name } });
  }

  /**
   * Copies the contents to another basket, where they are one undo step, or to a new basket with this name. Throws
   * AppError.
   */
  async copyInto(to: { buildId: string } | { name: string }): Promise<DatasetBuild | null> {
    const { build } = this;
    if (build === null) return null;
    const { connectionId, buildId, name } = build;
    const { id: applicationId, name: applicationName } = this.application;
    const other =
      'name' in to
        ? await jobs.create('build', { applicationId, applicationName, name: to.name })
        : jobs.own('build', to.buildId);
    if (other === null) return null;
    const source = { kind: 'basket', buildId, name } as const;
    await changeBuild({ connectionId, buildId: other.buildId }, { type: 'pick-all', source });
    return other;
  }

  /**
   * Deletes the basket. Returns steps that restore it (for a limited time) and delete it again; null if there is no
   * basket. Throws AppError.
   */
  async remove(): Promise<ActSteps | null> {
    const { build } = this;
    if (build === null) return null;
    const name = { kind: 'build', id: build.buildId } as const;
    const redo = async () => {
      await jobs.forget(name);
      if (this.build === null || this.build.buildId === name.id) this.use(null);
    };
    await redo();
    const undo = async () => {
      await jobs.restore(name);
      this.use(name.id);
    };
    return { undo, redo };
  }

  async stopPicking(): Promise<void> {
    const { build } = this;
    if (build === null) return;
    await jobs.control({ kind: 'build', id: build.buildId }, 'stop-picking');
  }

  #unmarkAll(): void {
    this.#moment += 1;
    for (const key of [...this.#picked, ...this.#seen.keys()]) this.#put(key, false, this.#moment);
  }

  #show(refs: readonly SpanRef[], isPicked: boolean): void {
    this.#moment += 1;
    for (const ref of refs) this.#put(keyOf(ref), isPicked, this.#moment);
    this.#version += 1;
  }

  /** The application and the date, followed by a number if a basket has that name. */
  proposedName(): string {
    return this.#free(`${this.application.name}, ${formatDay(clock.nowMs)}`);
  }

  #free(plain: string): string {
    const taken = new Set(this.all.map(({ name }) => name));
    const names = Array.from(taken, (_, at) => `${plain} (${at + 2})`);
    return [plain, ...names].find((name) => !taken.has(name)) ?? plain;
  }

  /** Creates the build if there is none; concurrent picks create only one. */
  async #ensure(): Promise<DatasetBuild> {
    if (this.build !== null) return this.build;
    this.#creating ??= this.begin(this.proposedName()).finally(() => {
      this.#creating = null;
    });
    return this.#creating;
  }
}

function partsOf(spans: readonly SpanRef[]): (readonly SpanRef[])[] {
  return Array.from({ length: Math.ceil(spans.length / MAX_NAMED) }, (_, at) =>
    spans.slice(at * MAX_NAMED, (at + 1) * MAX_NAMED),
  );
}
