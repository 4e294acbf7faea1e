import { type AppError, type ErrorCode, toAppError, type WireError } from '../../electron/shared/errors.ts';
import type { Freshness, ListQuery, RecordState } from '../../electron/shared/model.ts';
import { joinParts, parseRecord } from '../../electron/shared/record-parts.ts';
import { client as realClient } from '../lib/client.ts';
import { failureCode } from '../lib/freshness.ts';
import { LatestRequest } from './newest.ts';
import { OpenAgain } from './open-again.ts';
import { OpenState } from './open-state.ts';
import { refused } from './refused.ts';

interface RecordModelOptions {
  connectionId: string;
  viewId: string;
  client?: Pick<typeof realClient, 'invoke' | 'ask' | 'on'>;
}

/** A stored record with its freshness, e.g. the schema of a dataset. */
export class RecordModel {
  phase = $state<'closed' | 'opening' | 'ready' | 'failed'>('closed');
  record = $state.raw<Record<string, unknown> | null>(null);
  freshness = $state.raw<Freshness | null>(null);
  /** When the service was found to have deleted the record; null while it exists. The stored content stays readable. */
  goneAtMs = $state<number | null>(null);
  error = $state.raw<AppError | null>(null);

  #query: ListQuery | null = null;
  /** Whether `record` is that of an earlier query, because the present one was not answered yet. */
  #isOfBefore = false;
  readonly #open = new OpenState<RecordState>(({ recordKey }) => recordKey);
  /** The newest state, and a promise for its record. */
  #newest: RecordState | null = null;
  #taken: Promise<void> = Promise.resolve();
  /** Id of the text that `record` was read from, if it was sent in parts. */
  #textId: number | null = null;
  readonly #latest = new LatestRequest();
  #stopListening: (() => void) | null = null;
  /** Whether the record may be read from the service when it is opened. */
  #mayRead = true;
  readonly #openAgain: OpenAgain;
  readonly #options: RecordModelOptions;
  readonly #client: Pick<typeof realClient, 'invoke' | 'ask' | 'on'>;

  constructor(options: RecordModelOptions) {
    this.#options = options;
    this.#client = options.client ?? realClient;
    this.#openAgain = new OpenAgain(this.#client, options, () => void this.#reopen());
  }

  get connectionId(): string {
    return this.#options.connectionId;
  }

  get viewId(): string {
    return this.#options.viewId;
  }

  /** Whether nothing is stored yet and an answer is pending. */
  get isAwaited(): boolean {
    if (this.record !== null || this.phase === 'failed') return false;
    return this.phase !== 'ready' || this.freshness?.refresh.phase === 'loading';
  }

  /** The error of reading or refreshing the record. */
  get failure(): AppError | WireError | null {
    const refresh = this.freshness?.refresh;
    return this.error ?? (refresh?.phase === 'failed' ? refresh.error : null);
  }

  async open(query: ListQuery, refresh: 'if-stale' | 'always' | 'never' = 'if-stale'): Promise<void> {
    this.#openAgain.opening();
    this.#mayRead = refresh !== 'never';
    this.#stopListening ??= this.#client.on('library:record-changed', ({ state }, seq) =>
      this.#changed(state, seq),
    );
    const isLast = this.#latest.ask();
    if (JSON.stringify(query) !== JSON.stringify(this.#query)) {
      this.#open.reset();
      this.#isOfBefore = true;
    }
    this.#query = query;
    if (this.record === null) this.phase = 'opening';
    try {
      const { connectionId, viewId } = this.#options;
      const { value: state, seq } = await this.#client.ask('library:open-record', {
        connectionId,
        viewId,
        query,
        refresh,
      });
      if (!isLast()) return;
      this.error = null;
      const newest = this.#open.opened(state, seq);
      const taken = newest === null ? this.#taken : this.#take(newest);
      if ((newest ?? state).parts !== null) await taken;
      if (!isLast()) return;
      this.phase = 'ready';
    } catch (thrown) {
      if (!isLast()) return;
      if (this.#isOfBefore) this.#forget();
      this.error = toAppError(thrown);
      this.phase = 'failed';
      this.#noteFailure(this.error.code);
    }
  }

  /** The record of an earlier query must not be shown as that of the present one. */
  #forget(): void {
    this.record = null;
    this.freshness = null;
    this.goneAtMs = null;
    this.#textId = null;
    this.#isOfBefore = false;
  }

  /** If a record failed because of the token, it is refreshed when a token is accepted. */
  #noteFailure(code: ErrorCode | null): void {
    refused.note(this, code, () => this.refresh());
  }

  async refresh(): Promise<void> {
    if (this.#query !== null) await this.open(this.#query, 'always');
  }

  async #reopen(): Promise<void> {
    if (this.#query === null) return;
    // After a repair, another text can have this id.
    this.#textId = null;
    await this.open(this.#query, this.#mayRead ? 'if-stale' : 'never');
  }

  /** A record that is not shown is opened in a new session when it is shown again. */
  setShown(isShown: boolean): void {
    this.#openAgain.setShown(isShown);
  }

  dispose(): void {
    refused.drop(this);
    this.#openAgain.dispose();
    this.#latest.forget();
    this.#stopListening?.();
    this.#stopListening = null;
    const { connectionId, viewId } = this.#options;
    void this.#client.invoke('library:release', { connectionId, viewId });
  }

  #changed(state: RecordState, seq: number): void {
    if (!this.#open.takes(state, seq)) return;
    this.#take(state).catch((thrown: unknown) => {
      this.error = toAppError(thrown);
    });
  }

  /** Resolves when the record of the newest state is loaded: at once if the message contained it. */
  #take(state: RecordState): Promise<void> {
    this.#newest = state;
    this.#noteFailure(failureCode(state.freshness));
    this.#taken = this.#read(state);
    return this.#taken;
  }

  async #read(state: RecordState): Promise<void> {
    const { record, parts } = state;
    if (parts === null) {
      this.record = record;
      this.#textId = null;
    } else if (parts.textId !== this.#textId) {
      const { connectionId } = this.#options;
      const json = await joinParts(parts.characters, (from) =>
        this.#client.invoke('app:read-part', { connectionId, textId: parts.textId, from }),
      );
      // A newer answer or another record was announced meanwhile, and is being read.
      if (this.#newest?.parts?.textId !== parts.textId) return this.#taken;
      // The text is gone, because another process stored a newer answer.
      if (json === null) return this.#query === null ? undefined : this.open(this.#query, 'never');
      this.record = parseRecord(json);
      this.#textId = parts.textId;
    }
    this.#isOfBefore = false;
    const { freshness, goneAtMs } = this.#newest ?? state;
    this.freshness = freshness;
    this.goneAtMs = goneAtMs;
  }
}
