/**
 * Prevents two changes of the same records at once, because their effects would mix. The later one is rejected while
 * the earlier one is in progress.
 */
import { TimeSlicer } from '../core/time-slicer.ts';
import type { StoredBulkAct } from '../db/upload-store.ts';
import type { BulkItemState } from '../shared/bulk-contract.ts';
import { counted, numberText } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import type { BulkDeps } from './types.ts';

interface SameRecordsDeps extends Pick<BulkDeps, 'store' | 'clock'> {
  /** Whether a process is working on the change. */
  isBusy: (bulkId: string) => boolean;
}

/** Another change of the same records is in progress. */
export class SameRecordsError extends AppError {
  /** Title of the other change. */
  readonly title: string;

  constructor(title: string, message: string) {
    super('CONFLICT', message, {
      outcome: 'unsent',
      nextStep: 'Wait until it ends, or stop it, then try again.',
    });
    this.title = title;
  }
}

const UNDER_WAY: ReadonlySet<StoredBulkAct['state']> = new Set(['running', 'waiting']);
export const STILL_TO_CHANGE: readonly BulkItemState[] = ['waiting', 'sending', 'unknown'];
const PARTS_AT_ONCE = 200;
const MAX_LISTED = 500;

export class SameRecords {
  readonly #deps: SameRecordsDeps;
  readonly #ids: ReadonlySet<string>;
  readonly #looked = new Set<string>();

  constructor(deps: SameRecordsDeps, ids: Iterable<string>) {
    this.#deps = deps;
    this.#ids = new Set(ids);
  }

  /**
   * Throws CONFLICT if another change in progress still has to change a record of the stored change `ownId` that is in
   * one of `states`. To be called in the transaction in which that change begins.
   */
  static checkStored(deps: SameRecordsDeps, ownId: string, states: readonly BulkItemState[]): void {
    // Reading the records of a long change takes time, which is needless if it is the only one.
    if (new SameRecords(deps, []).#others().every(({ id }) => id === ownId)) return;
    new SameRecords(deps, idsOf(deps.store, ownId, states)).checkAgain(ownId);
  }

  /** Throws CONFLICT if another change in progress still has to change one of these records. */
  async check(): Promise<void> {
    const slicer = new TimeSlicer(this.#deps.clock);
    for (const act of this.#others()) {
      let same = 0;
      for (const count of this.#counts(act)) {
        same += count;
        await slicer.pause();
      }
      this.#refuse(act, same);
    }
  }

  /** Checks again in the transaction in which this change begins, because other changes may have begun since. */
  checkAgain(ownId: string): void {
    for (const act of this.#others()) {
      if (act.id === ownId) continue;
      let same = 0;
      for (const count of this.#counts(act)) same += count;
      this.#refuse(act, same);
    }
  }

  #others(): StoredBulkAct[] {
    const { store, isBusy } = this.#deps;
    const acts = store.bulk.list({ limit: MAX_LISTED });
    return acts.filter(({ id, state }) => UNDER_WAY.has(state) && !this.#looked.has(id) && isBusy(id));
  }

  *#counts({ id }: StoredBulkAct): Generator<number> {
    for (const ids of idPages(this.#deps.store, id, STILL_TO_CHANGE))
      yield ids.filter((other) => this.#ids.has(other)).length;
  }

  #refuse({ id, words }: StoredBulkAct, same: number): void {
    this.#looked.add(id);
    if (same === 0) return;
    throw new SameRecordsError(
      words.title,
      `“${words.title}” is under way and still has ${numberText(same)} of these ${counted(this.#ids.size, 'record')} to change. Nothing was sent.`,
    );
  }
}

/** The ids of the records in some states, for a batch of requests at a time. */
function* idPages(
  { bulkParts }: SameRecordsDeps['store'],
  id: string,
  states: readonly BulkItemState[],
): Generator<string[]> {
  for (let from = 0; ; from += PARTS_AT_ONCE) {
    // Parts in all states are listed: those to change become fewer between two pages, so their offsets shift.
    const parts = bulkParts.list(id, null, from, PARTS_AT_ONCE);
    yield parts
      .filter(({ state }) => states.includes(state))
      .flatMap(({ records }) => records.map((record) => record.id));
    if (parts.length < PARTS_AT_ONCE) return;
  }
}

function* idsOf(...given: Parameters<typeof idPages>): Generator<string> {
  for (const ids of idPages(...given)) yield* ids;
}
