/** The order that a person gave to groups of one kind, for as long as the process lives. */
import type { Lane } from '../core/limits/budget-ledger.ts';

type Token = Pick<Lane, 'origin' | 'tokenId'>;

/** Behind all that are named, in the order of arrival. */
const LAST = Number.MAX_SAFE_INTEGER;

export class GroupOrders {
  /** By token and kind. */
  readonly #ranks = new Map<string, Map<string, ReadonlyMap<string, number>>>();

  /** `kind`: what the names of all its groups begin with. Null: in turn again. */
  set(token: Token, kind: string, names: readonly string[] | null): void {
    const ofToken = this.#ranks.get(nameOf(token)) ?? new Map<string, ReadonlyMap<string, number>>();
    if (names === null) ofToken.delete(kind);
    else ofToken.set(kind, new Map(names.map((name, rank) => [name, rank])));
    this.#ranks.set(nameOf(token), ofToken);
  }

  of(token: Token, kind: string): string[] | null {
    const ranks = this.#ranks.get(nameOf(token))?.get(kind);
    return ranks === undefined ? null : [...ranks.keys()];
  }

  /** Lower goes first among those of its kind; null: it goes in turn with all others. */
  rankOf(token: Token, group: string): number | null {
    for (const [kind, ranks] of this.#ranks.get(nameOf(token)) ?? [])
      if (group.startsWith(kind)) return ranks.get(group) ?? LAST;
    return null;
  }
}

const nameOf = ({ origin, tokenId }: Token) => `${origin}\n${tokenId}`;
