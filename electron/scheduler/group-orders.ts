/** The order that a person assigned to groups of one kind, for the lifetime of the process. */
import type { Lane } from '../core/limits/budget-ledger.ts';

type Token = Pick<Lane, 'origin' | 'tokenId'>;

/** Rank of unnamed groups. They go after all named ones, in order of arrival. */
const LAST = Number.MAX_SAFE_INTEGER;

export class GroupOrders {
  /** Ranks by token and kind. */
  readonly #ranks = new Map<string, Map<string, ReadonlyMap<string, number>>>();

  /** `kind`: common prefix of the names of the groups. If `names` is null, groups take turns again. */
  set(token: Token, kind: string, names: readonly string[] | null): void {
    const ofToken = this.#ranks.get(nameOf(token)) ?? new Map<string, ReadonlyMap<string, number>>();
    if (names === null) ofToken.delete(kind);
    else ofToken.set(kind, new Map(names.map((name, rank) => [name, rank])));
    this.#ranks.set(nameOf(token), ofToken);
  }

  /** Applies the orders for one token to another one as well. They replace those of that, unless it `isShared`. */
  carry(from: Token, to: Token, isShared: boolean): void {
    const known = this.#ranks.get(nameOf(from)) ?? new Map<string, ReadonlyMap<string, number>>();
    const others = isShared ? (this.#ranks.get(nameOf(to)) ?? []) : [];
    this.#ranks.set(nameOf(to), new Map([...known, ...others]));
  }

  of(token: Token, kind: string): string[] | null {
    const ranks = this.#ranks.get(nameOf(token))?.get(kind);
    return ranks === undefined ? null : [...ranks.keys()];
  }

  /** The rank of a group within its kind; lower goes first. Null if the group takes turns with all others. */
  rankOf(token: Token, group: string): number | null {
    for (const [kind, ranks] of this.#ranks.get(nameOf(token)) ?? [])
      if (group.startsWith(kind)) return ranks.get(group) ?? LAST;
    return null;
  }
}

const nameOf = ({ origin, tokenId }: Token) => `${origin}\n${tokenId}`;
