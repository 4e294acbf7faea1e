/**
 * A range that goes on up to now, and goes back to what is stored where the service does not answer for it. Kept with
 * the tab, since another tab may be in front, or the window closed, by the time that is known.
 */
import { untrack } from 'svelte';
import type { TimeRange } from '../../../electron/shared/model.ts';
import {
  isMoved,
  movedTo,
  NOT_MOVED,
  NOTHING_WANTED,
  nothingRead,
  type RangeParams,
  type RangePart,
  toStored,
  wantedPreset,
  wasRead,
  wayBack,
} from '../../lib/moved-range.ts';
import { app } from '../../state/app.svelte.ts';
import type { ListModel } from '../../state/list-state.svelte.ts';
import { setParams } from './params.ts';

/** How far the reading of what a range shows is. */
interface Reading {
  /** `lost`: nothing is stored, and the service did not answer. */
  phase: 'loading' | 'read' | 'lost';
  /** Where it is lost: for which range something is stored. */
  storedRange?: TimeRange | undefined;
}
export const LOADING: Reading = { phase: 'loading' };

export class MovingRange {
  /** End of the range that was moved to in vain; it is not moved to again until a person asks for that. */
  triedEnd = $state<string | null>(null);
  readonly #tabId: string;
  #isBack = false;
  /** Where the tab was opened before the program began, nobody knows any more. */
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
  /** What was gone back to is asked for as well: what was to be refreshed says why it was not. */
  get howToRead(): 'always' | 'if-stale' {
    return this.#isBack ? 'always' : 'if-stale';
  }

  #set(params: RangeParams): void {
    const tab = untrack(() => app.tabs.list.find(({ id }) => id === this.#tabId));
    if (tab !== undefined) setParams(tab, params);
  }

  /** A range that a person chose: from there is no way back. */
  choose(range: RangeParams): void {
    this.#begin(range, true);
  }

  /** The range of a view that is opened anew: nobody chose it. */
  start(range: RangeParams): void {
    this.#begin(range, false);
  }

  #begin(range: RangeParams, isChosen: boolean): void {
    this.triedEnd = null;
    this.#isBack = false;
    this.#isChosen = isChosen;
    this.#set({ ...nothingRead(untrack(() => this.#params)), ...NOTHING_WANTED, ...range, ...NOT_MOVED });
  }

  /** On from the range of the tab, or the one that is given. */
  moveTo(range: RangeParams, from?: RangeParams): void {
    const params = untrack(() => this.#params);
    this.#isBack = false;
    this.#set(movedTo(params, range, from ?? params));
  }

  /** It may be moved to again; false where it was not moved in vain. */
  retry(): boolean {
    const wasTried = this.triedEnd !== null;
    this.triedEnd = null;
    return wasTried;
  }

  /** `part`: what is read of the range, where a tab shows several things of it. */
  settle({ phase, storedRange }: Reading, part?: RangePart): void {
    if (phase === 'loading') return;
    const params = this.#params;
    const back =
      phase === 'lost' ? (wayBack(params, part) ?? toStored(params, storedRange, this.#isChosen)) : null;
    this.#isBack = back !== null;
    if (back !== null) {
      const { end = '' } = params;
      const isEarlier = (back['end'] ?? '') < end || wantedPreset(back) !== null;
      // From an earlier range it goes on to a still earlier one: moved to in vain was the latest.
      if (isEarlier && (this.triedEnd === null || this.triedEnd < end)) this.triedEnd = end;
      this.#set(back);
    } else if (phase === 'read') this.#take({ ...NOT_MOVED, ...(part && wasRead(params, part)) });
  }

  /** Sets what is not so already. */
  #take(wanted: RangeParams): void {
    const params = this.#params;
    if (Object.entries(wanted).some(([name, value]) => (params[name] ?? '') !== value)) this.#set(wanted);
  }
}

export function heldMovingRange(tabId: string): MovingRange {
  return app.tabs.hold(tabId, 'moving-range', () => new MovingRange(tabId));
}

/** Follows what a view, or a part of it, reads of its range. To be called where it is made. */
export function keepReadable(range: MovingRange, read: () => Reading, part?: () => RangePart): void {
  $effect(() => {
    const reading = read();
    const ofPart = part?.();
    untrack(() => range.settle(reading, ofPart));
  });
}

/** Of a list that was asked for the range that is shown. */
export function readingOf({ phase, freshness }: Pick<ListModel, 'phase' | 'freshness'>): Reading {
  if (phase !== 'ready' || freshness === null || freshness.refresh.phase === 'loading') return LOADING;
  if (freshness.source !== 'none') return { phase: 'read' };
  const { refresh, storedRange } = freshness;
  return refresh.phase === 'failed' ? { phase: 'lost', storedRange } : LOADING;
}
