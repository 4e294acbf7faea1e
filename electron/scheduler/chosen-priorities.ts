/** Priorities that a person assigned to groups of requests, for the lifetime of the process. */
import type { Lane } from '../core/limits/budget-ledger.ts';
import { PRIORITIES, type Priority } from '../core/priority.ts';
import type { ChosenPriority } from '../shared/traffic-model.ts';
import { isInteractive, type QueuedRequest } from './queued-request.ts';

type Token = Pick<Lane, 'origin' | 'tokenId'>;

interface Choice {
  chosen: ChosenPriority;
  /** The priority that the group had before a person's choice. */
  own: Priority;
}

export class ChosenPriorities {
  readonly #choices = new Map<string, Choice>();

  /** Effective priority of a submitted request: the chosen one. Interactive requests keep their own. */
  of(lane: Token, group: string, own: Priority): Priority {
    if (this.#choices.size === 0 || isInteractive(own)) return own;
    const choice = this.#choices.get(nameOf(lane, group));
    if (choice === undefined) return own;
    choice.own = own;
    return choice.chosen;
  }

  has(lane: Token, group: string): boolean {
    return this.#choices.has(nameOf(lane, group));
  }

  /** Applies the choices for one token to another one as well. They replace those of that, unless it `isShared`. */
  carry(from: Token, to: Token, isShared: boolean): void {
    const [prefix, target] = [nameOf(from, ''), nameOf(to, '')];
    const carried = [...this.#choices].filter(([name]) => name.startsWith(prefix));
    if (!isShared)
      for (const name of [...this.#choices.keys()]) if (name.startsWith(target)) this.#choices.delete(name);
    for (const [name, choice] of carried) {
      const own = target + name.slice(prefix.length);
      if (!this.#choices.has(own)) this.#choices.set(own, { ...choice });
    }
  }

  /**
   * `waiting`: one of the group's waiting requests, if any. Returns the new priority of waiting requests; null if it is
   * unchanged.
   */
  choose(
    token: Token,
    group: string,
    chosen: ChosenPriority | null,
    waiting: QueuedRequest | null,
  ): Priority | null {
    const name = nameOf(token, group);
    const before = this.#choices.get(name);
    if (chosen === null) {
      this.#choices.delete(name);
      return before?.own ?? null;
    }
    this.#choices.set(name, { chosen, own: before?.own ?? waiting?.priority ?? 'upload' });
    return chosen;
  }
}

const nameOf = ({ origin, tokenId }: Token, group: string) => `${origin}\n${tokenId}\n${group}`;

/** Rank of a priority. A lower rank goes first. */
export const rankOf = (priority: Priority): number => PRIORITIES.indexOf(priority);
