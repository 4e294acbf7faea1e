/** Keeps what a person chose for the requests of a connection if its token or address changes. */
import type { ConnectionService } from '../connections/connection-service.ts';
import { tokenId } from '../connections/token-vault.ts';
import type { AppStore } from '../db/app-store.ts';
import type { Lane, RequestScheduler } from '../scheduler/types.ts';
import type { Connection } from '../shared/model.ts';

interface KeptChoicesDeps {
  scheduler: Pick<RequestScheduler, 'carryChoices'>;
  store: Pick<AppStore, 'listConnections'>;
  heldToken: ConnectionService['heldToken'];
}

type Token = Pick<Lane, 'origin' | 'tokenId'>;

export class KeptChoices {
  readonly #deps: KeptChoicesDeps;
  /**
   * Tokens whose choices a connection takes over once its own token is known: its former token, or the token to which
   * choices applied meanwhile.
   */
  readonly #pending = new Map<string, Token[]>();

  constructor(deps: KeptChoicesDeps) {
    this.#deps = deps;
  }

  /**
   * Runs `work`, which may change the connection. Its pauses, orders and priorities then apply to its new token and
   * address, before any request is sent with them.
   */
  async around<T>(connectionId: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tokenOf(connectionId);
    const done = await work();
    // While the token is unknown, nothing may be chosen for its lanes. The next token has the choices.
    if (before !== null) this.note(connectionId, before);
    this.noteToken(connectionId);
    return done;
  }

  /** Call if a person chose something for this token while the one of the connection was unknown. */
  note(connectionId: string, token: Token): void {
    const known = this.#pending.get(connectionId) ?? [];
    this.#pending.set(connectionId, [...known.filter((each) => !isSame(each, token)), token]);
  }

  /** Call if the token of a connection may have become known, before any request is sent with it. */
  noteToken(connectionId: string): void {
    const pending = this.#pending.get(connectionId) ?? [];
    const isGone = !this.#deps.store.listConnections().some(({ id }) => id === connectionId);
    const token = this.#tokenOf(connectionId);
    if (token === null && !isGone) return;
    this.#pending.delete(connectionId);
    if (token === null) return;
    let keepsOwn = this.#isShared(connectionId, token);
    for (const from of pending.filter((each) => !isSame(each, token))) {
      this.#deps.scheduler.carryChoices(from, token, keepsOwn);
      keepsOwn = true;
    }
  }

  #isShared(connectionId: string, token: Token): boolean {
    const others = this.#deps.store.listConnections().filter(({ id }) => id !== connectionId);
    return others.some((other) => isSame(this.#tokenIn(other), token));
  }

  /** Null if the token is unknown. */
  #tokenOf(connectionId: string): Token | null {
    return this.#tokenIn(this.#deps.store.listConnections().find(({ id }) => id === connectionId));
  }

  #tokenIn(known: Connection | undefined): Token | null {
    const held = known === undefined ? null : this.#deps.heldToken(known);
    if (known === undefined || held === null) return null;
    return { origin: new URL(known.baseUrl).origin, tokenId: tokenId(held) };
  }
}

const isSame = (a: Token | null, b: Token): boolean => a?.origin === b.origin && a.tokenId === b.tokenId;
