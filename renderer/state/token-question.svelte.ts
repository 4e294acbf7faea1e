/** The dialog that asks for a new token: whether it is open, the result of testing the token, and earlier questions. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { ConnectionTest } from '../../electron/shared/model.ts';
import { type Asked, asksNow, keepAsked, questionOf } from '../lib/token-question.ts';
import { type AppState, app } from './app.svelte.ts';
import { draftOf, findProblems } from './connection-form.svelte.ts';
import { refused } from './refused.ts';

class TokenQuestion {
  isOpen = $state(false);
  /** Whether the user opened the dialog although the present token is accepted. */
  isWanted = $state(false);
  phase = $state<'idle' | 'testing' | 'saving'>('idle');
  problem = $state<string | null>(null);
  /** The reason why the service rejected the new token. */
  finding = $state.raw<ConnectionTest | null>(null);
  error = $state.raw<AppError | null>(null);
  #asked: Asked | null = null;
  readonly #app: AppState;

  constructor(app: AppState) {
    this.#app = app;
  }

  /** To be called when the connection, its network state or the open dialogs change. Opens the dialog if necessary. */
  look(isBehindDialog: boolean): void {
    const { connections, network } = this.#app;
    const { active } = connections;
    const state = network.phaseOf(connections.activeId);
    this.#asked = keepAsked(this.#asked, connections.activeId);
    if (this.isOpen) {
      const isOver = this.#asked === null || (state === 'online' && !this.isWanted);
      if (this.phase === 'idle' && isOver) this.isOpen = false;
    } else if (asksNow({ connection: active, network: state, asked: this.#asked, isBehindDialog })) {
      this.open();
    }
  }

  /** Opens the dialog. `isWanted`: the user asked for it although no request was refused. */
  open(isWanted = false): void {
    const { active } = this.#app.connections;
    if (active === null) return;
    this.#asked = questionOf(active);
    this.problem = null;
    this.finding = null;
    this.error = null;
    this.isWanted = isWanted;
    this.isOpen = true;
  }

  /** Tests a new token, and stores it if it is accepted. Never throws: the dialog shows the error. */
  async save(typed: string): Promise<void> {
    const { active } = this.#app.connections;
    if (active === null || this.phase !== 'idle') return;
    const draft = draftOf(active);
    const token = typed.trim();
    this.finding = null;
    this.error = null;
    this.problem = findProblems(draft, token, true).token ?? null;
    if (this.problem !== null) return;
    try {
      this.phase = 'testing';
      const test = await this.#app.connections.test(draft, token, {});
      // A token without permission to read applications is valid too.
      if (!test.isOk && test.code !== 'FORBIDDEN') {
        this.finding = test;
        return;
      }
      this.phase = 'saving';
      const saved = await this.#app.connections.save(draft, token, {});
      await this.#app.network.load(saved.id);
      this.isOpen = false;
      this.#app.reopenings += 1;
      await refused.retry(Date.now(), true);
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.phase = 'idle';
    }
  }
}

export const tokenQuestion = new TokenQuestion(app);
