/**
 * A range that moves up to the present, and returns to a stored range if the service does not answer for it. Stored
 * with the tab: by the time the outcome is known, another tab can be active or the window closed.
 */
import { untrack } from 'svelte';
import type { TimeRange } from '../../../electron/shared/model.ts';
import {
  isMoved,
  movedTo,
  NOT_MOVED,
  NOTHING_WANTED,
  nothingRead,
  previousRange,
  type RangeParams,
  type RangePart,
  toStored,
  wantedPreset,
  wasRead,
} from '../../lib/moved-range.ts';
import { app } from '../../state/app.svelte.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import { setParams } from './params.ts';

/** Progress of reading the content of a range. */
interface Reading {
  /** `lost`: nothing is stored, and the service did not answer. */
  phase: 'loading' | 'read' | 'lost';
  /** A range with stored content, for the case that reading failed. */
  storedRange?: TimeRange | undefined;
}
export const LOADING: Reading = { phase: 'loading' };

export class MovingRange {
  /** End of the range that failed. It is not requested again until the user asks for it. */
  triedEnd = $state<string | null>(null);
  readonly #tabId: string;
  #isBack = false;
  /** Whether the user chose the range. It is not known for a tab that is restored, and then assumed. */
  #isChosen = true;

  constructor(tabId: string) {
    this.#tabId = tabId;
  }

  get #params(): RangeParams {
    return app.tabs.list.find(({ id }) => id === this.#tabId)?.params ?? {};
  }
  get isMoved(): boolean {
    return isMoved(this.#params);
  }
  /** After a return to a stored range, that range is also refreshed, so that the reason of the failure is shown. */
  get howToRead(): 'always' | 'if-stale' {
    return this.#isBack ? 'always' : 'if-stale';
  }

  #set(params: RangeParams): void {
    const tab = untrack(() => app.tabs.list.find(({ id }) => id === this.#tabId));
    if (tab !== undefined) setParams(tab, params);
  }

  /** Sets a range that the user chose, which is never replaced by an earlier one. */
  choose(range: RangeParams): void {
    this.#begin(range, true);
  }

  /** Sets the initial range of a new view, which the user did not choose. */
  start(range: RangeParams): void {
    this.#begin(range, false);
  }

  #begin(range: RangeParams, isChosen: boolean): void {
    this.triedEnd = null;
    this.#isBack = false;
    this.#isChosen = isChosen;
    this.#set({ ...nothingRead(untrack(() => this.#params)), ...NOTHING_WANTED, ...range, ...NOT_MOVED });
  }

  /** Moves to another range, from that of the tab or the given one. */
  moveTo(range: RangeParams, from?: RangeParams): void {
    const params = untrack(() => this.#params);
    this.#isBack = false;
    this.#set(movedTo(params, range, from ?? params));
  }

  /** Allows requesting the failed range again. Returns false if none failed. */
  retry(): boolean {
    const wasTried = this.triedEnd !== null;
    this.triedEnd = null;
    return wasTried;
  }

  /**
   * Moves the range if necessary, after a read. `part`: the part that was read, if a tab shows several parts of the
   * range.
   */
  settle({ phase, storedRange }: Reading, part?: RangePart): void {
    if (phase === 'loading') return;
    const params = this.#params;
    const back =
      phase === 'lost'
        ? (previousRange(params, part) ?? toStored(params, storedRange, this.#isChosen))
        : null;
    this.#isBack = back !== null;
    if (back !== null) {
      const { end = '' } = params;
      const isEarlier = (back['end'] ?? '') < end || wantedPreset(back) !== null;
      // If an earlier range fails too, an even earlier one is shown. The failed range is the latest of them.
      if (isEarlier && (this.triedEnd === null || this.triedEnd < end)) this.triedEnd = end;
      this.#set(back);
    } else if (phase === 'read') this.#take({ ...NOT_MOVED, ...(part && wasRead(params, part)) });
  }

  /** Sets the parameters that differ. */
  #take(wanted: RangeParams): void {
    const params = this.#params;
    if (Object.entries(wanted).some(([name, value]) => (params[name] ?? '') !== value)) this.#set(wanted);
  }
}

export function movingRangeOfTab(tabId: string): MovingRange {
  return app.tabs.hold(tabId, 'moving-range', () => new MovingRange(tabId));
}

/** Updates the range after each read by a view, or by a part of it. Must be called during component initialization. */
export function keepReadable(range: MovingRange, read: () => Reading, part?: () => RangePart): void {
  $effect(() => {
    const reading = read();
    const ofPart = part?.();
    untrack(() => range.settle(reading, ofPart));
  });
}

/** The progress of a list that was queried for the shown range. */
export function readingOf({ phase, freshness }: Pick<ListModel, 'phase' | 'freshness'>): Reading {
  if (phase !== 'ready' || freshness === null || freshness.refresh.phase === 'loading') return LOADING;
  if (freshness.source !== 'none') return { phase: 'read' };
  const { refresh, storedRange } = freshness;
  return refresh.phase === 'failed' ? { phase: 'lost', storedRange } : LOADING;
}
