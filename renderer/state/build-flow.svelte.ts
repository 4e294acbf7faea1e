/** A dataset from spans in preparation: the edited mapping, its result and its problems. */
import { untrack } from 'svelte';
import type { BuildChange } from '../../electron/shared/dataset-contract.ts';
import type {
  BuildKey,
  BuildRow,
  DatasetBuild,
  Mapping,
  MappingCheck,
  SpanRef,
  StepDirection,
  SuggestedEntry,
} from '../../electron/shared/dataset-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import {
  NEAR_DUPLICATE_THRESHOLD,
  type NearDuplicatePair,
  type NearDuplicateSkips,
} from '../../electron/shared/near-duplicate-model.ts';
import { client } from '../lib/client.ts';
import { lastSent } from '../lib/last-sent.ts';
import { isSameMapping } from '../lib/mapping-edit.ts';
import { changeBuild, readBuildRows } from './build-actions.ts';
import { jobs } from './jobs.svelte.ts';
import { LatestRequest } from './newest.ts';
import { StartChoice } from './start-choice.svelte.ts';

const KEYS_PAGE = 200;
/** Maximum number of keys listed. Further ones can be found by a search. */
const MAX_KEYS = 1_000;
const MAX_STEPS = 200;
/** Maximum number of spans in one call. */
const MAX_NAMED = 1_000;

type Change = Extract<BuildChange, { type: 'settings' }>['patch'];

export class BuildFlow {
  readonly connectionId: string;
  readonly buildId: string;
  readonly build: DatasetBuild | null = $derived.by(() => jobs.own('build', this.buildId));
  readonly isEditable = $derived(this.build?.state === 'editing');
  readonly #isFilling = $derived(this.build?.fill?.phase === 'running');

  /** The mapping as shown. The main process stores it after a short delay. */
  mapping = $state.raw<Mapping>([]);
  check = $state.raw<MappingCheck | null>(null);
  keys = $state.raw<readonly BuildKey[]>([]);
  keyTotal = $state<number | null>(null);
  /** The mapping adopted from the items last sent to the dataset, and when they were sent. */
  taken = $state.raw<{ mapping: Mapping; sentAtMs: number } | null>(null);
  /** Reasons for the last suggestion, by bucket and field. */
  reasons = $state.raw<ReadonlyMap<string, string>>(new Map());
  /** Index of the picked span that is shown as an example item. */
  exampleAt = $state(0);
  example = $state.raw<BuildRow | null>(null);
  exampleCount = $state(0);
  /** The problem with the dataset as typed, before it is stored; undefined while that step is not shown. */
  typedProblem = $state.raw<string | null | undefined>(undefined);
  /** The chosen start time until it is stored. */
  readonly start = new StartChoice();
  error = $state.raw<AppError | null>(null);
  saveError = $state.raw<AppError | null>(null);
  isSaving = $state(false);
  isFindingNearDuplicates = $state(false);
  nearDuplicateError = $state.raw<AppError | null>(null);
  readonly nearDuplicateThreshold = $derived(
    this.build?.nearDuplicates?.threshold ?? NEAR_DUPLICATE_THRESHOLD,
  );
  canUndo = $state(false);
  canRedo = $state(false);

  /** Key of the last search for near-duplicates: its spans, mapping and dataset. */
  #searched = '';
  #saved: Mapping | null = null;
  #undo: Mapping[] = [];
  #redo: Mapping[] = [];
  /** Subject of the last change. Successive changes of one subject form one undo step. */
  #lastAbout = '';
  readonly #checks = new LatestRequest();
  readonly #keyReads = new LatestRequest();
  readonly #examples = new LatestRequest();

  constructor(connectionId: string, buildId: string) {
    this.connectionId = connectionId;
    this.buildId = buildId;
    // The main process rejects other changes while spans are being picked. A mapping that could not be stored is stored
    // afterwards, whatever the tab shows.
    $effect(() => {
      if (this.#isFilling) return;
      untrack(() => {
        if (this.saveError !== null) void this.save();
      });
    });
  }

  get #named(): { connectionId: string; buildId: string } {
    return { connectionId: this.connectionId, buildId: this.buildId };
  }

  /** Shows the stored state, unless a change made here is still being stored. */
  adopt(): void {
    const { build } = this;
    if (build === null || this.isSaving || this.saveError !== null) return;
    if (this.#saved !== null && isSameMapping(build.mapping, this.#saved)) return;
    this.#saved = build.mapping;
    this.mapping = build.mapping;
  }

  /** Changes the mapping. `about`: subject of the change; successive changes of one subject form one undo step. */
  edit(next: Mapping, about = ''): void {
    if (next === this.mapping || !this.isEditable) return;
    if (about === '' || about !== this.#lastAbout)
      this.#undo = [...this.#undo, this.mapping].slice(-MAX_STEPS);
    this.#lastAbout = about;
    this.#redo = [];
    this.#show(next);
  }

  undo(): void {
    const before = this.#undo.pop();
    if (before === undefined) return;
    this.#redo.push(this.mapping);
    this.#lastAbout = '';
    this.#show(before);
  }

  redo(): void {
    const after = this.#redo.pop();
    if (after === undefined) return;
    this.#undo.push(this.mapping);
    this.#lastAbout = '';
    this.#show(after);
  }

  #show(mapping: Mapping): void {
    this.mapping = mapping;
    this.canUndo = this.#undo.length > 0;
    this.canRedo = this.#redo.length > 0;
    void this.save();
    void this.readCheck();
    void this.readExample();
  }

  /** Stores the mapping. Changes made while a call is in flight are combined. */
  async save(): Promise<void> {
    if (this.isSaving) return;
    this.isSaving = true;
    this.saveError = null;
    try {
      while (this.#saved === null || !isSameMapping(this.#saved, this.mapping)) {
        const { mapping } = this;
        await changeBuild(this.#named, { type: 'settings', patch: { mapping } });
        this.#saved = mapping;
      }
    } catch (thrown) {
      this.saveError = toAppError(thrown);
    } finally {
      this.isSaving = false;
    }
  }

  /**
   * Adopts the mapping of the last items sent from this application to this dataset, if there are any and nothing was
   * mapped by hand. Can be undone.
   */
  takeLast(datasetId: string): void {
    const { build, mapping, taken } = this;
    const last = build === null ? null : lastSent(jobs.of('build'), build.applicationId, datasetId);
    const isByHand = mapping.length > 0 && !(taken !== null && isSameMapping(mapping, taken.mapping));
    if (!this.isEditable || last === null || isByHand || isSameMapping(mapping, last.mapping)) return;
    this.taken = { mapping: last.mapping, sentAtMs: last.endedAtMs ?? last.changedAtMs };
    this.edit(last.mapping);
  }

  /** Changes anything but the mapping. Throws AppError. */
  async change(patch: Change): Promise<void> {
    await changeBuild(this.#named, { type: 'settings', patch });
  }

  #failed = (thrown: unknown): void => {
    this.error = toAppError(thrown);
  };

  async readCheck(): Promise<void> {
    const { mapping } = this;
    await this.#checks.run(
      () => client.act('builds:read', 'check-mapping', { ...this.#named, mapping }),
      (check) => {
        this.error = null;
        this.check = check;
      },
      this.#failed,
    );
  }

  async readKeys(search: string): Promise<void> {
    const read = async () => {
      const keys: BuildKey[] = [];
      let total = 0;
      do {
        const page = await client.act('builds:read', 'keys', {
          ...this.#named,
          search,
          offset: keys.length,
          limit: KEYS_PAGE,
        });
        keys.push(...page.keys);
        total = page.total;
        if (page.keys.length === 0) break;
      } while (keys.length < Math.min(total, MAX_KEYS));
      return { keys, total };
    };
    await this.#keyReads.run(
      read,
      ({ keys, total }) => {
        this.error = null;
        this.keys = keys;
        this.keyTotal = total;
      },
      this.#failed,
    );
  }

  async readExample(): Promise<void> {
    const { mapping, exampleAt } = this;
    await this.#examples.run(
      () =>
        client.act('builds:read', 'rows', {
          ...this.#named,
          mapping,
          show: 'all',
          offset: exampleAt,
          limit: 1,
        }),
      ({ rows, matchingRows }) => {
        this.example = rows[0] ?? null;
        this.exampleCount = matchingRows;
      },
      this.#failed,
    );
  }

  async showExample(at: number): Promise<void> {
    this.exampleAt = Math.max(0, Math.min(at, this.exampleCount - 1));
    await this.readExample();
  }

  /** Replaces the mapping with the suggested one. Can be undone. Throws AppError. */
  async suggest(): Promise<number> {
    const { entries } = await client.act('builds:read', 'suggest-mapping', this.#named);
    this.reasons = new Map(
      entries.map((entry: SuggestedEntry) => [`${entry.bucket} ${entry.key}`, entry.reason]),
    );
    if (entries.length > 0) this.edit(entries.map(({ bucket, field, key }) => ({ bucket, field, key })));
    return entries.length;
  }

  /** Removes spans from the basket. Throws AppError. */
  async unpick(spans: readonly SpanRef[]): Promise<void> {
    for (let at = 0; at < spans.length; at += MAX_NAMED) {
      const part = spans.slice(at, at + MAX_NAMED);
      await changeBuild(this.#named, { type: 'unpick', spans: part, continues: at > 0 });
    }
  }

  /** Undoes or redoes the last pick or removal. Throws AppError. */
  async step(direction: StepDirection): Promise<void> {
    if (this.build?.[direction] !== null && this.isEditable)
      await changeBuild(this.#named, { type: 'step', direction });
  }

  /** Throws AppError. */
  async exclude(positions: readonly number[], isExcluded: boolean): Promise<void> {
    for (let at = 0; at < positions.length; at += MAX_NAMED) {
      const part = positions.slice(at, at + MAX_NAMED);
      await changeBuild(this.#named, { type: 'exclude', positions: part, isExcluded });
    }
  }

  /** Excludes the given items; if all are excluded, includes them again. Sent items stay as they are. Throws AppError. */
  async toggle(rows: AsyncIterable<Record<string, unknown> | undefined>): Promise<void> {
    const included: number[] = [];
    const excluded: number[] = [];
    for await (const row of rows) {
      if (row === undefined || row['state'] === 'added') continue;
      (row['state'] === 'excluded' ? excluded : included).push(Number(row['position']));
    }
    if (included.length > 0) await this.exclude(included, true);
    else await this.exclude(excluded, false);
  }

  /**
   * Finds near-duplicates and excludes them. `sure`: started automatically, so it runs only once for the same spans,
   * mapping and dataset.
   */
  async findNearDuplicates(
    skips: NearDuplicateSkips,
    threshold = this.nearDuplicateThreshold,
  ): Promise<void> {
    const { build } = this;
    if (build === null || !this.isEditable || this.isFindingNearDuplicates) return;
    const { target, counts } = build;
    const asked = JSON.stringify([
      this.mapping,
      target?.kind === 'existing' ? target.datasetId : '',
      counts.picked,
    ]);
    if (skips === 'sure' && (this.mapping.length === 0 || asked === this.#searched)) return;
    this.isFindingNearDuplicates = true;
    this.nearDuplicateError = null;
    this.#searched = asked;
    try {
      await this.save();
      await changeBuild(this.#named, { type: 'find-near-duplicates', threshold, skips });
    } catch (thrown) {
      this.#searched = '';
      this.nearDuplicateError = toAppError(thrown);
    } finally {
      this.isFindingNearDuplicates = false;
    }
  }

  /** Includes the excluded near-duplicates again. Throws AppError. */
  async keepNearDuplicates(): Promise<void> {
    const positions: number[] = [];
    for (let offset = 0; ; ) {
      const query = { mapping: [], show: 'near-duplicates' as const, offset, limit: 200 };
      const { rows, matchingRows } = await readBuildRows(this.#named, query);
      positions.push(...rows.filter(({ state }) => state === 'excluded').map(({ position }) => position));
      offset += rows.length;
      if (rows.length === 0 || offset >= matchingRows) break;
    }
    await this.exclude(positions, false);
  }

  /** Throws AppError. */
  readNearDuplicate(position: number): Promise<NearDuplicatePair> {
    return client.act('builds:read', 'near-duplicate', { ...this.#named, position });
  }

  /** Throws AppError. */
  stopPicking(): Promise<void> {
    return jobs.control({ kind: 'build', id: this.buildId }, 'stop-picking');
  }

  /** Reads the last source again. Spans that the basket already has are not added twice. Throws AppError. */
  async pickAgain(): Promise<void> {
    const source = this.build?.fill?.source;
    if (source === undefined) return;
    await changeBuild(this.#named, { type: 'pick-all', source });
  }
}
