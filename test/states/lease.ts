/**
 * Three processes that compete for one job: two on one computer, one in another container. Each is the lease keeper of
 * the product with a table and a clock of the test. A state is rebuilt by repeating its path from the start. All three
 * have different process ids, because they share the memory of this process, in which a keeper remembers its own
 * leases.
 */
import { type Lease, LeaseKeeper, type LeaseTable } from '../../electron/core/jobs/lease.ts';
import type { Clock } from '../../electron/core/ports.ts';
import { AppError } from '../../electron/shared/errors.ts';
import type { Machine, Step } from './explore.ts';

const ID = 'job';
/** The renewal interval of the keeper, and a little more than the time for which it trusts a silent holder. */
const BEAT_MS = 3_000;
const SLEEP_MS = 21_000;
/** Maximum time in ms to wait for a silent holder. */
const SILENT_MS = 20_000;
/** How long a process must see a silent holder silent before it takes over, and the longest gap between its looks. */
const GRACE_MS = 9_000;
const MAX_GAP_MS = 20_000;
const PROCESSES = [
  { pid: 1, space: 'one' },
  { pid: 2, space: 'one' },
  { pid: 3, space: 'other' },
] as const;
type Act = 'take' | 'release' | 'stall' | 'go on' | 'die' | 'timers';

interface Member {
  readonly keeper: LeaseKeeper;
  timers: { atMs: number; callback: () => void }[];
  isAlive: boolean;
  isStalled: boolean;
  /** Set while it has the lease, as far as it knows. */
  release: (() => void) | null;
  /** The silent lease that it last looked at; null if that lease was not silent. */
  saw: { lease: string; sinceMs: number; lookedAtMs: number } | null;
}

class World {
  nowMs = 0;
  held: Lease | null = null;
  readonly members: readonly Member[];
  /** The fault of the last attempt to take the lease; null if there is none. */
  problem: string | null = null;

  constructor() {
    this.members = PROCESSES.map((process, at) => this.#member(process, at));
  }

  #member({ pid, space }: (typeof PROCESSES)[number], at: number): Member {
    const timers: Member['timers'] = [];
    const clock: Clock = {
      nowMs: () => this.nowMs,
      monotonicMs: () => this.nowMs,
      setTimer: (callback, delayMs) => {
        const timer = { atMs: this.nowMs + delayMs, callback };
        timers.push(timer);
        return () => {
          const index = timers.indexOf(timer);
          if (index !== -1) timers.splice(index, 1);
        };
      },
    };
    const quiet = () => undefined;
    const logger = { debug: quiet, info: quiet, warn: quiet, error: quiet };
    const isRunning = (wanted: number) =>
      PROCESSES.some(
        (each, index) => each.space === space && each.pid === wanted && this.members[index]?.isAlive === true,
      );
    const keeper = new LeaseKeeper({
      ...{ table: this.#table(at), what: 'job', owner: `p${at}`, clock, logger },
      process: { pid, space, isRunning },
    });
    return { keeper, timers, isAlive: true, isStalled: false, release: null, saw: null };
  }

  #table(at: number): LeaseTable {
    return {
      read: () => this.held,
      take: (_id, lease, isStale) => {
        const { held } = this;
        if (held !== null && held.owner !== lease.owner) {
          this.#look(at, held);
          if (!isStale(held)) return false;
          this.problem ??= this.#theft(at, held);
        }
        this.held = lease;
        return true;
      },
      renew: (_id, owner, atMs) => {
        if (this.held?.owner !== owner) return false;
        this.held = { ...this.held, atMs };
        return true;
      },
      release: (_id, owner) => {
        if (this.held?.owner === owner) this.held = null;
      },
    };
  }

  #look(at: number, held: Lease): void {
    const member = this.members[at];
    if (member === undefined) return;
    const { nowMs } = this;
    if (nowMs - held.atMs <= SILENT_MS) {
      member.saw = null;
      return;
    }
    const lease = `${held.owner} ${held.atMs}`;
    const { saw } = member;
    const isSame = saw?.lease === lease && nowMs - saw.lookedAtMs <= MAX_GAP_MS;
    member.saw = { lease, sinceMs: isSame ? saw.sinceMs : nowMs, lookedAtMs: nowMs };
  }

  /** Reports if the lease was taken from a live holder that had renewed it recently. */
  #theft(at: number, held: Lease): string | null {
    const holder = this.members.findIndex((_, index) => held.owner.startsWith(`p${index}`));
    const saw = this.members[at]?.saw ?? null;
    const isSilent = saw !== null && this.nowMs - saw.sinceMs >= GRACE_MS;
    const isSeenDead =
      PROCESSES[holder]?.space === PROCESSES[at]?.space && this.members[holder]?.isAlive === false;
    return isSilent || isSeenDead ? null : `p${at} took the lease of p${holder}, which works on it.`;
  }

  act(at: number, act: Act): boolean {
    const member = this.members[at];
    if (member === undefined || !member.isAlive) return false;
    if (act === 'go on') {
      if (!member.isStalled) return false;
      member.isStalled = false;
      return true;
    }
    if (act === 'die') {
      // The process loses its memory, but its row in the table remains.
      const { held } = this;
      member.release?.();
      this.held = held;
      Object.assign(member, { isAlive: false, release: null });
      member.timers.length = 0;
      return true;
    }
    if (member.isStalled) return false;
    switch (act) {
      case 'take':
        return member.release === null && this.#take(member);
      case 'release':
        if (member.release === null) return false;
        member.release();
        member.release = null;
        return true;
      case 'stall':
        member.isStalled = true;
        return true;
      case 'timers': {
        const due = member.timers.filter(({ atMs }) => atMs <= this.nowMs);
        for (const timer of due) {
          member.timers.splice(member.timers.indexOf(timer), 1);
          timer.callback();
        }
        return due.length > 0;
      }
    }
  }

  #take(member: Member): boolean {
    const before = this.held;
    try {
      const end = member.keeper.take(ID, () => {
        member.release = null;
      });
      member.release = end;
      return true;
    } catch (problem) {
      if (!(problem instanceof AppError) || problem.code !== 'CONFLICT') throw problem;
      const { saw } = member;
      const isFree = before === null || (saw !== null && this.nowMs - saw.sinceMs >= GRACE_MS);
      if (isFree) this.problem ??= 'A lease that is free was refused.';
      // Looking at a silent lease changes what the process knows.
      return isFree || saw !== null;
    }
  }
}

/** The path to a state, with the problem and the key that were found there. */
export interface LeaseState {
  readonly path: readonly string[];
  readonly key: string;
  readonly problem: string | null;
  readonly isHeldOrFree: boolean;
}

const ACTS: readonly Act[] = ['take', 'release', 'stall', 'go on', 'die', 'timers'];
const NAMES = [
  // The last process stays alive, because one process must be able to continue.
  ...PROCESSES.flatMap((_, at) =>
    ACTS.filter((act) => act !== 'die' || at < 2).map((act) => `p${at} ${act}`),
  ),
  'a beat passes',
  'the computers sleep',
];

function replay(path: readonly string[]): World | null {
  const world = new World();
  for (const step of path) {
    if (step === 'a beat passes') world.nowMs += BEAT_MS;
    else if (step === 'the computers sleep') world.nowMs += SLEEP_MS;
    else {
      const at = Number(step[1]);
      const act = ACTS.find((each) => step.endsWith(` ${each}`));
      if (act === undefined || !world.act(at, act)) return null;
    }
  }
  return world;
}

function stateOf(path: readonly string[]): LeaseState | null {
  const world = replay(path);
  if (world === null) return null;
  const { held, nowMs, members } = world;
  const ageMs = held === null ? -1 : Math.min(SLEEP_MS, nowMs - held.atMs);
  const parts = members.map(({ isAlive, isStalled, release, timers, saw }) => {
    const [timer] = timers;
    const dueMs = timer === undefined ? '-' : Math.max(0, timer.atMs - nowMs);
    const isSeen = saw !== null && saw.lease === `${held?.owner} ${held?.atMs}`;
    const sight = isSeen
      ? `s${Math.min(GRACE_MS, nowMs - saw.sinceMs)},${Math.min(SLEEP_MS, nowMs - saw.lookedAtMs)}`
      : '';
    return `${isAlive ? 1 : 0}${isStalled ? 1 : 0}${release === null ? 0 : 1}${dueMs}${sight}`;
  });
  const passing = members.filter(
    ({ keeper, isAlive, release }) => isAlive && release !== null && keeper.holds(ID),
  );
  return {
    path,
    key: `${held?.owner ?? ''}|${ageMs}|${parts.join('|')}`,
    problem: world.problem ?? (passing.length > 1 ? 'Two processes may send.' : null),
    isHeldOrFree: held === null || passing.length === 1,
  };
}

const FIRST: LeaseState = { path: [], key: '', problem: null, isHeldOrFree: true };

export const leaseMachine: Machine<LeaseState> = {
  name: 'three processes and one lease',
  starts: [stateOf([]) ?? FIRST],
  steps: ({ path }) =>
    NAMES.map((name): Step<LeaseState> => ({ name, apply: () => stateOf([...path, name]) })),
  key: ({ key }) => key,
  problem: ({ problem }) => problem,
  isEnd: ({ isHeldOrFree }) => isHeldOrFree,
};
