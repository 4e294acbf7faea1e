/** Holds one job that adds items, in memory and on disk. */
import {
  type ItemsCore,
  type ItemsEvent,
  isItemsIdle,
  isItemsOver,
  itemsTransition,
} from '../core/jobs/add-items.ts';
import type { StoredItems } from '../db/items-store.ts';
import { JobLedger } from '../jobs/ledger.ts';
import type { ITEM_PART_STATES, ItemsJob } from '../shared/items-model.ts';
import type { ItemJobsDeps } from './types.ts';

type PartState = (typeof ITEM_PART_STATES)[number];

/** Maximum number of requests with a doubtful receipt whose items are counted. */
const MAX_DOUBTFUL = 1_000;

export class ItemsLedger extends JobLedger<ItemsCore, ItemsEvent, StoredItems, ItemsJob> {
  readonly #deps: Pick<ItemJobsDeps, 'store' | 'connectionId'>;

  constructor(
    deps: Pick<ItemJobsDeps, 'store' | 'clock' | 'logger' | 'onItemsChanged' | 'connectionId'>,
    stored: StoredItems,
  ) {
    const { store, clock, logger, onItemsChanged: onChanged } = deps;
    super(
      {
        ...{ clock, logger, onChanged },
        id: stored.id,
        what: 'addition of items',
        commit: (work) => store.commit(work),
        save: (each) => store.items.jobs.save(each),
        pause: (error) => ({ type: 'pause', reason: error.message, error: error.toWire() }),
      },
      stored,
      coreOf(stored, openOf(deps, stored)),
    );
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return isItemsIdle(this.core.state);
  }

  /** Id of the dataset; null until the job has created it. */
  get datasetId(): string | null {
    const { plan, madeDatasetId } = this.stored;
    return plan.newIn === undefined ? plan.datasetId : madeDatasetId;
  }

  protected step(core: ItemsCore, event: ItemsEvent): ItemsCore {
    return itemsTransition(core, event);
  }

  protected isOver({ state }: ItemsCore): boolean {
    return isItemsOver(state);
  }

  /** Writes parts together with `also`, recounts them, and applies `events`, all in one transaction. */
  change(also: () => void, changes: Partial<StoredItems> = {}, events: readonly ItemsEvent[] = []): void {
    this.apply([], changes, also, () => [
      { type: 'counted', open: openOf(this.#deps, { ...this.stored, ...changes }) },
      ...events,
    ]);
    this.noteChange(false);
  }

  view(): ItemsJob {
    const { id: itemsId, rows, badRows, createdAtMs, endedAtMs } = this.stored;
    const plan = { ...this.stored.plan, datasetId: this.datasetId ?? '' };
    const { state, reason, error, startAtMs, lateStart } = this.core;
    const { parts } = this.#deps.store.items;
    const tallies = parts.tallies(itemsId);
    const doubtful = parts
      .list(itemsId, ['doubtful'], 0, MAX_DOUBTFUL)
      .reduce((sum, part) => sum + part.items, 0);
    const items = (of: PartState) => tallies.get(of)?.weight ?? 0;
    return {
      ...{ itemsId, connectionId: this.#deps.connectionId, plan, state, reason, error },
      counts: {
        ...{ rows, badRows },
        added: items('acknowledged'),
        refused: items('refused'),
        unknown: items('unknown') + (isItemsIdle(state) ? items('sending') : 0),
        givenUp: items('given-up'),
        ...(doubtful === 0 ? {} : { doubtful }),
      },
      requests: Math.ceil(((rows ?? 0) - badRows) / plan.itemsPerRequest),
      ...{ startAtMs, lateStart, createdAtMs, endedAtMs },
    };
  }
}

function openOf({ store }: Pick<ItemJobsDeps, 'store'>, { id, isRead }: StoredItems): ItemsCore['open'] {
  const tallies = store.items.parts.tallies(id);
  const parts = (of: PartState) => tallies.get(of)?.parts ?? 0;
  return { pending: parts('pending'), sending: parts('sending'), unknown: parts('unknown'), isRead };
}

function coreOf(
  { state, reason, error, startAtMs, lateStart }: StoredItems,
  open: ItemsCore['open'],
): ItemsCore {
  return { state, reason, error, startAtMs, lateStart, open };
}
