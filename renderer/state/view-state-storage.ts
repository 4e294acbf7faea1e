/**
 * Window state that is stored for each connection between starts: open tabs and column layouts. It is read when a
 * connection is entered, and changes are written through. The main process stores it with the data of the connection
 * and deletes it with them.
 */
import { createSubscriber } from 'svelte/reactivity';
import { AppError } from '../../electron/shared/errors.ts';
import { client } from '../lib/client.ts';
import { DRAFT_PREFIX } from '../lib/drafts.ts';
import { nextTask } from '../lib/next-task.ts';

interface ViewStateBackend {
  read(connectionId: string): Promise<Record<string, unknown>>;
  write(connectionId: string, key: string, value: unknown): Promise<void>;
}

export const connectionBackend: ViewStateBackend = {
  read: (connectionId) => client.invoke('layout:read', { connectionId }),
  write: async (connectionId, key, value) => {
    await client.invoke('layout:write', { connectionId, key, value });
  },
};

/** Stores input from before a connection exists in the settings. */
export const settingsBackend: ViewStateBackend = {
  read: async () => (await client.invoke('settings:get')).firstConnection ?? {},
  write: async (_, key, value) => {
    const firstConnection = value === null ? null : { [key]: value };
    await client.invoke('settings:set', { firstConnection });
  },
};

/**
 * The first change is written at once. Of later changes within this time only the last state is written, because
 * dragging a column edge changes its width many times a second.
 */
const SETTLE_MS = 400;

/** Notifies the readers of a value when it changes. */
class Followed {
  /** To be called by a reader of the value. */
  readonly subscribe: () => void;
  #tell: (() => void) | null = null;

  constructor() {
    this.subscribe = createSubscriber((tell) => {
      this.#tell = tell;
      return () => {
        this.#tell = null;
      };
    });
  }

  changed(): void {
    this.#tell?.();
  }
}

export class ViewStateStorage {
  #connectionId: string | null = null;
  #values: Record<string, unknown> = {};
  readonly #storage: ViewStateBackend;
  readonly #changed = new Set<string>();
  readonly #refused = new Set<string>();
  /** Writes that were not answered yet. They never reject. */
  readonly #writing = new Set<Promise<void>>();
  /** Connections that were removed. Nothing is written for them. */
  readonly #removed = new Set<string>();
  /**
   * Connections whose values could not be read. Nothing is written for them, because lists of which only the new entries
   * are known would replace the stored ones.
   */
  readonly #unread = new Set<string>();
  /** Whether the values of the entered connection are being read. */
  #isReading = false;
  /** Called when something was not written because the values of the connection could not be read. */
  onunwritten: () => void = () => undefined;
  /** Values whose changes views observe, by key. */
  readonly #followed = new Map<string, Followed>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(storage: ViewStateBackend) {
    this.#storage = storage;
  }

  /** The connection that was entered last, even while its values are still being read; null if there is none. */
  get connectionId(): string | null {
    return this.#connectionId;
  }

  /** Whether the values of the entered connection could not be read. They are not written then. */
  get isUnread(): boolean {
    return this.#connectionId !== null && this.#unread.has(this.#connectionId);
  }

  /**
   * Reads the values of a connection. If that fails, nothing is restored, as a layout must not prevent opening a
   * connection, and nothing is written until they are read.
   */
  async load(connectionId: string): Promise<void> {
    // Drafts are independent of the values that could not be read.
    const drafts = this.#connectionId === connectionId && this.isUnread ? this.entries(DRAFT_PREFIX) : [];
    void this.flush();
    this.#changed.clear();
    this.#connectionId = connectionId;
    this.#removed.delete(connectionId);
    this.#refused.clear();
    const since: Record<string, unknown> = {};
    this.#values = since;
    this.#isReading = true;
    for (const [id, draft] of drafts) this.set(`${DRAFT_PREFIX}${id}`, draft);
    const stored = await this.#storage.read(connectionId).catch(() => null);
    // Another connection may have been entered meanwhile.
    if (this.#values !== since) return;
    this.#isReading = false;
    if (stored === null) {
      this.#unread.add(connectionId);
      return;
    }
    this.#unread.delete(connectionId);
    // Values set since then are newer than those that were read.
    this.#values = { ...stored, ...since };
    this.#write();
  }

  /** Whether the values that could not be read can be read now. They are not changed. */
  async canRead(): Promise<boolean> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return false;
    return this.#storage.read(connectionId).then(
      () => true,
      () => false,
    );
  }

  get(key: string): unknown {
    return this.#values[key];
  }

  /** A value that another view can change while the reader is visible. Unlike `get`, it is reactive. */
  follow(key: string): unknown {
    const followed = this.#followed.get(key) ?? new Followed();
    this.#followed.set(key, followed);
    followed.subscribe();
    return this.get(key);
  }

  /** Stored values whose keys have this prefix, by the rest of the key. */
  entries(prefix: string): [string, unknown][] {
    return Object.entries(this.#values).flatMap(([key, value]) =>
      key.startsWith(prefix) && value !== null ? [[key.slice(prefix.length), value]] : [],
    );
  }

  /** Whether the last value of this key could not be written. */
  isRefused(key: string): boolean {
    return this.isUnread || this.#refused.has(key);
  }

  set(key: string, value: unknown): void {
    this.#values[key] = value;
    this.#changed.add(key);
    this.#followed.get(key)?.changed();
    if (this.#timer !== null) return;
    // Written after the current change, and after work that the user waits for: e.g. an opened tab is shown first.
    void nextTask().then(() => this.#write());
    this.#timer = setTimeout(() => void this.flush(), SETTLE_MS);
  }

  /**
   * Writes a value immediately, for data that is more important than a layout. `connectionId`: the connection that the
   * value belongs to, which may have been left. Throws AppError if the value cannot be stored.
   */
  async save(key: string, value: unknown, connectionId: string | null): Promise<void> {
    if (connectionId === null || this.#removed.has(connectionId)) return;
    if (this.#unread.has(connectionId)) {
      this.onunwritten();
      throw new AppError(
        'STORE_FAILED',
        'What is stored for this connection could not be read, so nothing is added to it. Try again when the connection can be opened.',
      );
    }
    await this.#storage.write(connectionId, key, value);
    if (this.#connectionId !== connectionId) return;
    this.#values[key] = value;
    this.#changed.delete(key);
  }

  /** Writes pending changes now. Resolves when they, and all earlier ones, were written or refused. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#write();
    await Promise.all(this.#writing);
  }

  #write(): void {
    const connectionId = this.#connectionId;
    // Changes wait until it is known whether the values can be read.
    if (this.#isReading) return;
    const changed = [...this.#changed];
    this.#changed.clear();
    if (connectionId === null) return;
    if (this.isUnread) {
      if (changed.length > 0) this.onunwritten();
      return;
    }
    for (const key of changed) {
      const write = this.#storage.write(connectionId, key, this.#values[key] ?? null).then(
        () => void this.#refused.delete(key),
        // The connection may have been removed, or the value is too large. Callers that need to know use `isRefused`.
        () => void this.#refused.add(key),
      );
      this.#writing.add(write);
      void write.then(() => this.#writing.delete(write));
    }
  }

  /** To be called when the connection was removed: pending writes are discarded. */
  forget(): void {
    this.#changed.clear();
    this.#isReading = false;
    if (this.#connectionId !== null) this.#removed.add(this.#connectionId);
    this.#connectionId = null;
    this.#values = {};
  }
}
