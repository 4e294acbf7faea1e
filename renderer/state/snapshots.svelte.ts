/** Versions of a dataset, and the differences between two of them. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { ChangeKind } from '../../electron/shared/item-field-change.ts';
import { NEAR_DUPLICATE_THRESHOLD } from '../../electron/shared/near-duplicate-model.ts';
import type {
  DamagedSnapshot,
  ItemComparison,
  NearDuplicateKind,
  Recreation,
  Snapshot,
  SnapshotDiff,
  SnapshotNearDuplicates,
} from '../../electron/shared/snapshot-model.ts';
import { client as realClient } from '../lib/client.ts';
import { BuildRows } from './build-rows.svelte.ts';
import { LatestRequest } from './newest.ts';

type Client = Pick<typeof realClient, 'act' | 'on'>;

interface OtherDataset {
  id: string;
  name: string;
  /** Wall time; null if unknown. */
  createdAtMs: number | null;
}

interface VersionRows {
  rows: BuildRows;
  /** Reads the complete item of a truncated row; null if the row is complete. Throws AppError. */
  whole: (index: number) => Promise<Readonly<Record<string, unknown>> | null>;
}

/** Number of changes per page. */
const PAGE = 50;
/** Maximum number of near-duplicates per answer. */
const MAX_NEAR_DUPLICATES = 200;

export class DatasetSnapshots {
  readonly connectionId: string;
  readonly datasetId: string;
  /** Versions, newest first. */
  all = $state.raw<readonly Snapshot[]>([]);
  damaged = $state.raw<readonly DamagedSnapshot[]>([]);
  fileBytes = $state(0);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);
  diff = $state.raw<SnapshotDiff | null>(null);
  /**
   * Another dataset that this one is compared with. `newest`: its newest version; null if it was never read completely.
   */
  other = $state.raw<(OtherDataset & { newest: Snapshot | null }) | null>(null);
  /** Items whose input is similar to one in the other dataset. */
  nearDuplicates = $state.raw<SnapshotNearDuplicates | null>(null);
  isFindingNearDuplicates = $state(false);
  /** Minimum share of common words for two inputs to be similar. */
  threshold = $state(NEAR_DUPLICATE_THRESHOLD);
  /** The items of the opened change or near-duplicate. */
  comparison = $state.raw<{ index: number; of: ItemComparison } | null>(null);
  readonly #client: Client;
  #stopListening: (() => void) | null = null;
  readonly #pair = new LatestRequest();
  readonly #nearDuplicates = new LatestRequest();
  readonly #choice = new LatestRequest();

  constructor(connectionId: string, datasetId: string, client: Client = realClient) {
    this.connectionId = connectionId;
    this.datasetId = datasetId;
    this.#client = client;
  }

  async open(): Promise<void> {
    this.#stopListening ??= this.#client.on('snapshots:changed', ({ connectionId, datasetId }) => {
      if (connectionId !== this.connectionId) return;
      if (datasetId === this.datasetId) void this.open();
      if (datasetId === this.other?.id) void this.#readOther(this.other);
    });
    await this.#showFailure(async () => {
      const { connectionId, datasetId } = this;
      const { snapshots, damaged, fileBytes } = await this.#client.act('snapshots:ask', 'list', {
        connectionId,
        datasetId,
      });
      this.all = snapshots;
      this.damaged = damaged;
      this.fileBytes = fileBytes;
      this.isLoaded = true;
    });
  }

  /** Compares with another dataset; null to compare versions of this dataset again. */
  async chooseOther(dataset: OtherDataset | null): Promise<void> {
    this.#choice.ask();
    this.other = null;
    this.#clearCompared();
    if (dataset !== null) await this.#readOther(dataset);
  }

  /** Reads the newest version of the other dataset, which stays chosen meanwhile. */
  async #readOther(dataset: OtherDataset): Promise<void> {
    const isLast = this.#choice.ask();
    await this.#showFailure(async () => {
      const asked = { connectionId: this.connectionId, datasetId: dataset.id };
      const { snapshots } = await this.#client.act('snapshots:ask', 'list', asked);
      if (!isLast()) return;
      const newest = snapshots[0] ?? null;
      if (newest?.snapshotId !== this.other?.newest?.snapshotId) this.#clearCompared();
      this.other = { ...dataset, newest };
    });
  }

  #clearCompared(): void {
    this.diff = null;
    this.nearDuplicates = null;
    this.comparison = null;
  }

  dispose(): void {
    this.#stopListening?.();
    this.#stopListening = null;
  }

  /** A page of changes, starting at `offset`. */
  async compare(from: number, to: number, kind: ChangeKind | null, offset = 0): Promise<void> {
    const isLast = this.#pair.ask();
    await this.#showFailure(async () => {
      const { connectionId } = this;
      const pair = { connectionId, from, to, kind };
      const diff = await this.#client.act('snapshots:ask', 'diff', { ...pair, offset, limit: PAGE });
      if (!isLast()) return;
      this.diff = diff;
      this.comparison = null;
    });
  }

  /** A page of items of `to` whose input is similar to one in `from`. Takes seconds if there are many items. */
  async findNearDuplicates(
    from: number,
    to: number,
    kind: NearDuplicateKind | null,
    offset = 0,
  ): Promise<void> {
    const isLast = this.#nearDuplicates.ask();
    this.isFindingNearDuplicates = true;
    await this.#showFailure(async () => {
      const query = { ...this.#nearDuplicatesOf({ from, to, kind }), offset, limit: PAGE };
      const nearDuplicates = await this.#client.act('snapshots:ask', 'near-duplicates', query);
      if (!isLast()) return;
      this.nearDuplicates = nearDuplicates;
      this.comparison = null;
    });
    if (isLast()) this.isFindingNearDuplicates = false;
  }

  async openNearDuplicates(kind: NearDuplicateKind | null, index: number): Promise<void> {
    const shown = this.nearDuplicates;
    if (shown === null) return;
    await this.#showFailure(async () => {
      const query = { ...this.#nearDuplicatesOf(sidesOf(shown, kind)), index };
      const of = await this.#client.act('snapshots:ask', 'compare-near-duplicates', query);
      if (this.nearDuplicates === shown) this.comparison = { index, of };
    });
  }

  /** Ids of at most `most` near-duplicates on the later side. Throws AppError. */
  async nearDuplicateIds(kind: NearDuplicateKind | null, most: number): Promise<string[]> {
    const shown = this.nearDuplicates;
    const ids: string[] = [];
    while (shown !== null && ids.length < most) {
      const page = { offset: ids.length, limit: Math.min(MAX_NEAR_DUPLICATES, most - ids.length) };
      const query = { ...this.#nearDuplicatesOf(sidesOf(shown, kind)), ...page };
      const { nearDuplicates } = await this.#client.act('snapshots:ask', 'near-duplicates', query);
      if (nearDuplicates.length === 0) break;
      ids.push(...nearDuplicates.map(({ itemId }) => itemId));
    }
    return ids;
  }

  #nearDuplicatesOf(sides: { from: number; to: number; kind: NearDuplicateKind | null }) {
    return { connectionId: this.connectionId, ...sides, threshold: this.threshold };
  }

  async openChange(kind: ChangeKind | null, index: number): Promise<void> {
    const shown = this.diff;
    if (shown === null) return;
    const pair = { from: shown.from.snapshotId, to: shown.to.snapshotId, kind };
    await this.#showFailure(async () => {
      const { connectionId } = this;
      const of = await this.#client.act('snapshots:ask', 'compare', { connectionId, ...pair, index });
      if (this.diff === shown) this.comparison = { index, of };
    });
  }

  /** Items of a version that contain a text, as grid rows that are read when they become visible. */
  itemsOf(snapshotId: number, search: string): VersionRows {
    const asked = { connectionId: this.connectionId, snapshotId, search };
    const cut = new Set<number>();
    const rows = new BuildRows(async (offset, limit) => {
      const page = await this.#client.act('snapshots:ask', 'items', { ...asked, offset, limit });
      for (const at of page.cut) cut.add(offset + at);
      return { rows: page.items, matchingRows: page.total };
    });
    const whole = async (index: number) =>
      cut.has(index) ? this.#client.act('snapshots:ask', 'item', { ...asked, index }) : null;
    return { rows, whole };
  }

  /** Starts the job that makes a new dataset from a version. Returns the id of the job. Throws AppError. */
  async recreate(asked: Recreation): Promise<string> {
    const { connectionId } = this;
    const { itemsId } = await this.#client.act('snapshots:ask', 'recreate', { connectionId, ...asked });
    return itemsId;
  }

  async #showFailure(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.error = null;
    } catch (problem) {
      this.error = toAppError(problem);
    }
  }
}

function sidesOf({ from, to }: SnapshotNearDuplicates, kind: NearDuplicateKind | null) {
  return { from: from.snapshotId, to: to.snapshotId, kind };
}
