/**
 * The requests of one lane that wait for a permit. They are served by priority, then round-robin by group, then in
 * order of arrival. Groups with a rank share one turn, which the first of them with waiting requests uses. Adding,
 * taking and removing take constant time.
 */
import { PRIORITIES, type Priority } from '../core/priority.ts';

/** Fields that a queue needs in its members. Only the queue writes them. */
export interface Queued {
  priority: Priority;
  group: string;
  inGroup: Group | null;
  before: Queued | null;
  after: Queued | null;
}

/** The waiting requests of one group at one priority, and the group's place in the ring of groups. */
export class Group {
  readonly name: string;
  readonly level: Level;
  first: Queued | null = null;
  last: Queued | null = null;
  size = 0;
  nextGroup: Group = this;
  previousGroup: Group = this;

  constructor(name: string, level: Level) {
    this.name = name;
    this.level = level;
  }
}

interface Level {
  groups: Map<string, Group>;
  /** The group that sends next. */
  turn: Group | null;
  size: number;
  /** Number of requests of higher priority taken while this level waited. */
  passed: number;
}

/** After this many requests of higher priority, one of a lower priority goes first, so that none waits forever. */
const MAX_PASSED = 16;

export class LaneQueue<J extends Queued> {
  readonly #rankOf: (group: string) => number | null;
  #size = 0;
  readonly #levels = PRIORITIES.map(
    (): Level => ({ groups: new Map<string, Group>(), turn: null, size: 0, passed: 0 }),
  );

  /** `rankOf`: rank of a group, where lower goes first; null if the group takes turns. */
  constructor(rankOf: (group: string) => number | null = () => null) {
    this.#rankOf = rankOf;
  }

  get size(): number {
    return this.#size;
  }

  /** Number of waiting requests for each priority. */
  sizes(): Record<Priority, number> {
    const sizes = { view: 0, click: 0, outbox: 0, upload: 0, prefetch: 0 };
    for (const [index, priority] of PRIORITIES.entries()) sizes[priority] = this.#levels[index]?.size ?? 0;
    return sizes;
  }

  /** Rank of the next request's priority; 0 is the most urgent. */
  get nextLevel(): number {
    const level = this.#nextLevel();
    return level === null ? this.#levels.length : this.#levels.indexOf(level);
  }

  /** Whether the next request is interactive. */
  get isNextInteractive(): boolean {
    return this.nextLevel <= PRIORITIES.indexOf('click');
  }

  /** Adds a request. `isFirst`: before all others of its group, for a request that was taken before. */
  push(request: J, isFirst = false): void {
    const group = this.#groupOf(request.priority, request.group);
    this.#link(group, request, isFirst);
    group.size++;
    group.level.size++;
    this.#size++;
  }

  /** Removes and returns the next request. */
  shift(): J | null {
    const level = this.#nextLevel();
    const turn = level?.turn ?? null;
    if (level === null || turn === null) return null;
    const { first: request } = this.#firstOf(turn);
    if (request === null) return null;
    level.passed = 0;
    const own = this.#levels.indexOf(level);
    this.#levels.forEach((other, index) => {
      if (index > own && other.turn !== null) other.passed++;
    });
    level.turn = turn.nextGroup;
    this.remove(request as J);
    return request as J;
  }

  /** The group itself, or the first of the ranked groups that share its turn. */
  #firstOf(turn: Group): Group {
    let rank = this.#rankOf(turn.name);
    let first = turn;
    if (rank === null) return first;
    for (const group of turn.level.groups.values()) {
      const own = this.#rankOf(group.name);
      if (own === null || own >= rank) continue;
      rank = own;
      first = group;
    }
    return first;
  }

  remove(request: J): void {
    const group = request.inGroup;
    if (group === null) return;
    if (request.before === null) group.first = request.after;
    else request.before.after = request.after;
    if (request.after === null) group.last = request.before;
    else request.after.before = request.before;
    request.before = null;
    request.after = null;
    request.inGroup = null;
    group.size--;
    group.level.size--;
    this.#size--;
    if (group.first === null) this.#dropGroup(group);
  }

  /** Moves a group's waiting requests to one priority. `isMoved`: selects them by their current priority. */
  moveGroup(name: string, priority: Priority, isMoved: (from: Priority) => boolean = () => true): void {
    const target = this.#level(priority);
    for (const from of PRIORITIES) {
      const level = this.#level(from);
      const group = level.groups.get(name);
      if (group === undefined || level === target || !isMoved(from)) continue;
      for (let request = group.first; request !== null; request = group.first) {
        this.remove(request as J);
        request.priority = priority;
        this.push(request as J);
      }
    }
  }

  /** Waiting interactive requests. There are few, however many others wait. */
  *interactiveRequests(): Generator<J> {
    yield* this.#requestsOf(this.#levels.slice(0, PRIORITIES.indexOf('click') + 1));
  }

  requests(): Generator<J> {
    return this.#requestsOf(this.#levels);
  }

  *#requestsOf(levels: readonly Level[]): Generator<J> {
    for (const level of levels) {
      for (const group of level.groups.values()) {
        for (let request = group.first; request !== null; request = request.after) yield request as J;
      }
    }
  }

  /** The first request of every group. The request that has waited longest is among them. */
  *heads(): Generator<J> {
    for (const level of this.#levels) {
      for (const group of level.groups.values()) if (group.first !== null) yield group.first as J;
    }
  }

  #level(priority: Priority): Level {
    const level = this.#levels[PRIORITIES.indexOf(priority)];
    if (level === undefined) throw new RangeError(`Unknown priority ${priority}.`);
    return level;
  }

  #nextLevel(): Level | null {
    let highest: Level | null = null;
    let passedOver: Level | null = null;
    for (const level of this.#levels) {
      if (level.turn === null) continue;
      highest ??= level;
      if (level.passed >= MAX_PASSED && level.passed > (passedOver?.passed ?? 0)) passedOver = level;
    }
    return passedOver ?? highest;
  }

  #groupOf(priority: Priority, name: string): Group {
    const level = this.#level(priority);
    const known = level.groups.get(name);
    if (known !== undefined) return known;
    const group = new Group(name, level);
    if (level.turn !== null) {
      // Inserts the group at the end of the ring: just before the group whose turn it is.
      group.nextGroup = level.turn;
      group.previousGroup = level.turn.previousGroup;
      group.previousGroup.nextGroup = group;
      group.nextGroup.previousGroup = group;
    }
    level.turn ??= group;
    level.groups.set(name, group);
    return group;
  }

  #link(group: Group, request: J, isFirst: boolean): void {
    request.inGroup = group;
    request.before = isFirst ? null : group.last;
    request.after = isFirst ? group.first : null;
    if (request.before === null) group.first = request;
    else request.before.after = request;
    if (request.after === null) group.last = request;
    else request.after.before = request;
  }

  #dropGroup(group: Group): void {
    const { level } = group;
    level.groups.delete(group.name);
    group.previousGroup.nextGroup = group.nextGroup;
    group.nextGroup.previousGroup = group.previousGroup;
    if (level.turn === group) level.turn = group.nextGroup === group ? null : group.nextGroup;
    if (level.turn === null) level.passed = 0;
  }
}
