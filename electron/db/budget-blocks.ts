/**
 * The permits of this process, in blocks that belong to one lane each. A row of the file is a block, so many permits
 * cost one write. A block may hold spare permits; other processes count them as open.
 */
import type { PermitRecord } from '../core/limits/budget-ledger.ts';

/** Permits of one block. A permit's id is the block's id times this number, plus its slot index. */
export const BLOCK_SIZE = 64;
/** Stored in the place of an answer time if the request was certainly never sent. */
export const RELEASED = -1;
/** A lane gets as many spare permits as it is expected to use in this time. */
const STOCK_MS = 2_000;
/** Time added to the end of an open block, for spare permits that are taken from it later. */
const TAKEN_LATER_MS = 10_000;

/** State of each permit: null while open, `RELEASED`, or the time of its answer. */
type Slots = (number | null)[];

export interface Block {
  id: number;
  laneId: number;
  slots: Slots;
  openUntilMs: number;
  keepUntilMs: number;
}

interface OwnBlock extends Block {
  /** Permits from this index on are spare. */
  used: number;
  open: number;
  /** Time until which the ended permits must be kept. */
  endedKeepMs: number;
}

/** A lane's recent rate of permit use. */
interface Pace {
  sinceMs: number;
  count: number;
}

export class OwnBlocks {
  /** Blocks with open permits or unwritten changes. */
  readonly #blocks = new Map<number, OwnBlock>();
  readonly #stock = new Map<number, OwnBlock>();
  readonly #paces = new Map<number, Pace>();
  readonly #changed = new Set<OwnBlock>();
  /** Blocks of the current transaction. */
  #fresh: { block: OwnBlock; mostSpare: number }[] = [];

  get isWritten(): boolean {
    return this.#changed.size === 0;
  }

  get hasStock(): boolean {
    return this.#stock.size > 0;
  }

  /** Adds a permit to the current transaction; `newId` generates block ids. */
  add(
    laneId: number,
    openUntilMs: number,
    keepUntilMs: number,
    mostSpare: number,
    newId: () => number,
  ): number {
    let fresh = this.#fresh.find(({ block }) => block.laneId === laneId && block.used < BLOCK_SIZE);
    if (fresh === undefined) {
      const block = {
        id: newId(),
        laneId,
        slots: [],
        openUntilMs: 0,
        keepUntilMs: 0,
        used: 0,
        open: 0,
        endedKeepMs: 0,
      };
      fresh = { block, mostSpare };
      this.#fresh.push(fresh);
    }
    const { block } = fresh;
    block.openUntilMs = Math.max(block.openUntilMs, openUntilMs);
    block.keepUntilMs = Math.max(block.keepUntilMs, keepUntilMs);
    block.slots.push(null);
    block.open++;
    return block.id * BLOCK_SIZE + block.used++;
  }

  /**
   * Returns the blocks of the current transaction; if `isAlone`, adds spare permits for the expected use of their
   * lanes.
   */
  complete(isAlone: boolean, nowMs: number): void {
    for (const { block, mostSpare } of this.#fresh) {
      const spare = isAlone ? Math.min(mostSpare, this.#expected(block.laneId, nowMs)) : 0;
      if (spare < 1) continue;
      while (block.slots.length < Math.min(BLOCK_SIZE, block.used + spare)) block.slots.push(null);
      block.open = block.slots.length;
      block.openUntilMs += TAKEN_LATER_MS;
      block.keepUntilMs += TAKEN_LATER_MS;
    }
  }

  fresh(): readonly Block[] {
    return this.#fresh.map(({ block }) => block);
  }

  /** Keeps the blocks of the current transaction after it was committed. */
  keepFresh(nowMs: number): void {
    for (const { block } of this.#fresh) {
      this.#blocks.set(block.id, block);
      if (block.used < block.slots.length) this.#stock.set(block.laneId, block);
      const pace = this.#paces.get(block.laneId);
      if (pace === undefined) this.#paces.set(block.laneId, { sinceMs: nowMs, count: block.used });
      else Object.assign(pace, { sinceMs: nowMs, count: block.used });
    }
    this.#fresh = [];
  }

  dropFresh(): void {
    this.#fresh = [];
  }

  /** Takes a spare permit that other processes count as open until at least `openUntilMs`; null if there is none. */
  take(laneId: number, openUntilMs: number, keepUntilMs: number): number | null {
    const block = this.#stock.get(laneId);
    if (block === undefined) return null;
    if (block.openUntilMs < openUntilMs || block.keepUntilMs < keepUntilMs) {
      this.#giveBack(block);
      return null;
    }
    const place = block.used++;
    if (block.used === block.slots.length) this.#stock.delete(laneId);
    const pace = this.#paces.get(laneId);
    if (pace !== undefined) pace.count++;
    return block.id * BLOCK_SIZE + place;
  }

  /** Ends a permit. `doneAtMs`: time of the answer, or `RELEASED`. */
  end(permitId: number, doneAtMs: number, keepUntilMs: number): void {
    const block = this.#blocks.get(Math.floor(permitId / BLOCK_SIZE));
    if (block === undefined) return;
    const place = permitId - block.id * BLOCK_SIZE;
    if (block.slots[place] === null) block.open--;
    block.slots[place] = doneAtMs;
    this.#ended(block, keepUntilMs);
  }

  extend(permitId: number, openUntilMs: number): void {
    const block = this.#blocks.get(Math.floor(permitId / BLOCK_SIZE));
    if (block === undefined || block.openUntilMs >= openUntilMs) return;
    block.keepUntilMs += openUntilMs - block.openUntilMs;
    block.openUntilMs = openUntilMs;
    this.#changed.add(block);
  }

  /** Releases all spare permits. */
  giveBackAll(): void {
    for (const block of this.#stock.values()) this.#giveBack(block);
  }

  changed(): Iterable<Block> {
    return this.#changed;
  }

  /** Marks the changed blocks as written; call it after they were written to the file. */
  wasWritten(): void {
    for (const block of this.#changed) if (block.open === 0) this.#blocks.delete(block.id);
    this.#changed.clear();
  }

  /**
   * Returns a block whose times another process has moved, with the ends of this process's permits that were not
   * written yet.
   */
  adopt<B extends Pick<Block, 'id' | 'slots'>>(stored: B): B {
    const block = this.#blocks.get(stored.id);
    if (block === undefined) return stored;
    block.slots.forEach((known, place) => {
      const theirs = stored.slots[place] ?? null;
      if (known !== null && theirs !== null) block.slots[place] = theirs;
    });
    return { ...stored, slots: [...block.slots] };
  }

  #giveBack(block: OwnBlock): void {
    this.#stock.delete(block.laneId);
    block.open -= block.slots.length - block.used;
    block.slots.fill(RELEASED, block.used);
    this.#ended(block, 0);
  }

  #ended(block: OwnBlock, keepUntilMs: number): void {
    block.endedKeepMs = Math.max(block.endedKeepMs, keepUntilMs);
    // Lets other processes see that the block has ended, even if nothing was sent.
    if (block.open === 0) block.keepUntilMs = block.endedKeepMs === 0 ? block.openUntilMs : block.endedKeepMs;
    this.#changed.add(block);
  }

  /** Permits the lane would use in `STOCK_MS` at its rate since its last transaction. */
  #expected(laneId: number, nowMs: number): number {
    const pace = this.#paces.get(laneId);
    if (pace === undefined) return 0;
    const elapsedMs = nowMs - pace.sinceMs;
    return Math.floor(pace.count * Math.min(1, STOCK_MS / Math.max(1, elapsedMs)));
  }
}

/** Time of the latest answer in a block; null if there is none. */
export function latestDone(slots: Slots): number | null {
  let latest: number | null = null;
  for (const done of slots) if (done !== null && done !== RELEASED && done > (latest ?? 0)) latest = done;
  return latest;
}

/** The permits of a block as separate records. */
export function permitsOf({ id, laneId, slots, openUntilMs }: Omit<Block, 'keepUntilMs'>): PermitRecord[] {
  return slots.map((slot, place) => ({
    id: id * BLOCK_SIZE + place,
    laneId,
    openUntilMs,
    doneAtMs: slot === RELEASED ? null : slot,
    isReleased: slot === RELEASED,
  }));
}

/** Moves answer times up to `untilMs` back by `byMs`. Returns the same block if it has no answers. */
export function shifted<B extends Pick<Block, 'slots' | 'openUntilMs'>>(
  block: B,
  untilMs: number,
  byMs: number,
): B {
  const isMoved = (done: number | null) => done !== null && done !== RELEASED && done <= untilMs;
  const isOpenMoved = block.openUntilMs <= untilMs && block.slots.includes(null);
  if (!isOpenMoved && !block.slots.some(isMoved)) return block;
  return {
    ...block,
    slots: block.slots.map((done) => (done !== null && isMoved(done) ? done - byMs : done)),
    openUntilMs: isOpenMoved ? block.openUntilMs - byMs : block.openUntilMs,
  };
}
