/** Versions of one dataset, and what differs between two of them. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type {
  ChangeKind,
  ItemComparison,
  Recreation,
  Snapshot,
  SnapshotDiff,
  SnapshotTwins,
  TwinKind,
} from '../../electron/shared/snapshot-model.ts';
import { TWIN_THRESHOLD } from '../../electron/shared/twin-model.ts';
import { client as realClient } from '../lib/client.ts';
import { BuildRows } from './build-rows.svelte.ts';
import { LastQuestion } from './newest.ts';

type Client = Pick<typeof realClient, 'act' | 'on'>;

interface OtherDataset {
  id: string;
  name: string;
  /** Wall time; null where it is not known. */
  createdAtMs: number | null;
}

interface VersionRows {
  rows: BuildRows;
  /** The item of a row that is cut; null where the row is whole. Throws AppError. */
  whole: (index: number) => Promise<Readonly<Record<string, unknown>> | null>;
}

/** Changes of one page. */
const PAGE = 50;
/** Of one answer. */
const MOST_TWINS = 200;

export class DatasetSnapshots {
  readonly connectionId: string;
  readonly datasetId: string;
  /** Newest first. */
  all = $state.raw<readonly Snapshot[]>([]);
  fileBytes = $state(0);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);
  diff = $state.raw<SnapshotDiff | null>(null);
  /** Another dataset that this one is compared with; `newest` is null where it was never fetched whole. */
  other = $state.raw<(OtherDataset & { newest: Snapshot | null }) | null>(null);
  /** Items whose input the other dataset has too. */
  twins = $state.raw<SnapshotTwins | null>(null);
  isFindingTwins = $state(false);
  /** Part of their words that two inputs share at least. */
  threshold = $state(TWIN_THRESHOLD);
  /** Of the change, or of the twins, that are open. */
  comparison = $state.raw<{ index: number; of: ItemComparison } | null>(null);
  readonly #client: Client;
  #stopListening: (() => void) | null = null;
  readonly #pair = new LastQuestion();
  readonly #twins = new LastQuestion();
  readonly #choice = new LastQuestion();

  constructor(connectionId: string, datasetId: string, client: Client = realClient) {
    this.connectionId = connectionId;
    this.datasetId = datasetId;
    this.#client = client;
  }

  async open(): Promise<void> {
    this.#stopListening ??= this.#client.on('snapshots:changed', ({ connectionId, datasetId }) => {
      if (connectionId !== this.connectionId) return;
      if (datasetId === this.datasetId) void this.open();
      if (datasetId === this.other?.id) void this.chooseOther(this.other);
    });
    await this.#tell(async () => {
      const { connectionId, datasetId } = this;
      const { snapshots, fileBytes } = await this.#client.act('snapshots:ask', 'list', {
        connectionId,
        datasetId,
      });
      this.all = snapshots;
      this.fileBytes = fileBytes;
      this.isLoaded = true;
    });
  }

  /** Null: the versions of this dataset are compared again. */
  async chooseOther(dataset: OtherDataset | null): Promise<void> {
    const isLast = this.#choice.ask();
    this.other = null;
    this.diff = null;
    this.twins = null;
    this.comparison = null;
    if (dataset === null) return;
    await this.#tell(async () => {
      const asked = { connectionId: this.connectionId, datasetId: dataset.id };
      const { snapshots } = await this.#client.act('snapshots:ask', 'list', asked);
      if (isLast()) this.other = { ...dataset, newest: snapshots[0] ?? null };
    });
  }

  dispose(): void {
    this.#stopListening?.();
    this.#stopListening = null;
  }

  /** The changes of a page, from `offset` on. */
  async compare(from: number, to: number, kind: ChangeKind | null, offset = 0): Promise<void> {
    const isLast = this.#pair.ask();
    await this.#tell(async () => {
      const { connectionId } = this;
      const pair = { connectionId, from, to, kind };
      const diff = await this.#client.act('snapshots:ask', 'diff', { ...pair, offset, limit: PAGE });
      if (!isLast()) return;
      this.diff = diff;
      this.comparison = null;
    });
  }

  /** A page of the items of `to` whose input `from` has too. Of many items it takes seconds. */
  async findTwins(from: number, to: number, kind: TwinKind | null, offset = 0): Promise<void> {
    const isLast = this.#twins.ask();
    this.isFindingTwins = true;
    await this.#tell(async () => {
      const question = { ...this.#twinsOf({ from, to, kind }), offset, limit: PAGE };
      const twins = await this.#client.act('snapshots:ask', 'twins', question);
      if (!isLast()) return;
      this.twins = twins;
      this.comparison = null;
    });
    if (isLast()) this.isFindingTwins = false;
  }

  async openTwins(kind: TwinKind | null, index: number): Promise<void> {
    const shown = this.twins;
    if (shown === null) return;
    await this.#tell(async () => {
      const question = { ...this.#twinsOf(sidesOf(shown, kind)), index };
      const of = await this.#client.act('snapshots:ask', 'compare-twins', question);
      if (this.twins === shown) this.comparison = { index, of };
    });
  }

  /** Ids of the items of the later side, `most` of them at most. Throws AppError. */
  async twinIds(kind: TwinKind | null, most: number): Promise<string[]> {
    const shown = this.twins;
    const ids: string[] = [];
    while (shown !== null && ids.length < most) {
      const page = { offset: ids.length, limit: Math.min(MOST_TWINS, most - ids.length) };
      const question = { ...this.#twinsOf(sidesOf(shown, kind)), ...page };
      const { twins } = await this.#client.act('snapshots:ask', 'twins', question);
      if (twins.length === 0) break;
      ids.push(...twins.map(({ itemId }) => itemId));
    }
    return ids;
  }

  #twinsOf(sides: { from: number; to: number; kind: TwinKind | null }) {
    return { connectionId: this.connectionId, ...sides, threshold: this.threshold };
  }

  async openChange(kind: ChangeKind | null, index: number): Promise<void> {
    const shown = this.diff;
    if (shown === null) return;
    const pair = { from: shown.from.snapshotId, to: shown.to.snapshotId, kind };
    await this.#tell(async () => {
      const { connectionId } = this;
      const of = await this.#client.act('snapshots:ask', 'compare', { connectionId, ...pair, index });
      if (this.diff === shown) this.comparison = { index, of };
    });
  }

  /** The items of a version as rows of a grid, those that have a text; read as they come into sight. */
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

  /** Begins the job that makes a new dataset of a version; answers its id. Throws AppError. */
  async recreate(asked: Recreation): Promise<string> {
    const { connectionId } = this;
    const { itemsId } = await this.#client.act('snapshots:ask', 'recreate', { connectionId, ...asked });
    return itemsId;
  }

  async #tell(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.error = null;
    } catch (problem) {
      this.error = toAppError(problem);
    }
  }
}

function sidesOf({ from, to }: SnapshotTwins, kind: TwinKind | null) {
  return { from: from.snapshotId, to: to.snapshotId, kind };
}
