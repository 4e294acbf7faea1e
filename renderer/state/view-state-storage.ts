/**
 * State of the window that is stored for each connection between starts: open tabs and column layouts. Read
 * when a connection is entered and written through; the main process stores it with the pages of the
 * connection and deletes it with them.
 */
import { createSubscriber } from 'svelte/reactivity';
import { client } from '../lib/client.ts';
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

/** Input typed before a connection exists; stored in the settings. */
export const settingsBackend: ViewStateBackend = {
  read: async () => (await client.invoke('settings:get')).firstConnection ?? {},
  write: async (_, key, value) => {
    const firstConnection = value === null ? null : { [key]: value };
    await client.invoke('settings:set', { firstConnection });
  },
};

/**
 * Dragging a column edge changes its width many times a second: the first change is written at once, later
 * ones within this time only in their last state.
 */
const SETTLE_MS = 400;

/** Notifies the readers of a value when it changes. */
class Followed {
  /** Called by a reader. */
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
  /** Connections that were removed: nothing is written for them. */
  readonly #removed = new Set<string>();
  /** Values that views follow, by key. */
  readonly #followed = new Map<string, Followed>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(storage: ViewStateBackend) {
    this.#storage = storage;
  }

  /** The connection that was entered last, also while its values are still being read; null for none. */
  get connectionId(): string | null {
    return this.#connectionId;
  }

  /** If reading fails, nothing is restored: a layout must not prevent opening a connection. */
  async load(connectionId: string): Promise<void> {
    this.flush();
    this.#connectionId = connectionId;
    this.#removed.delete(connectionId);
    this.#refused.clear();
    const since: Record<string, unknown> = {};
    this.#values = since;
    const stored = await this.#storage.read(connectionId).catch(() => ({}));
    // Another connection can have been requested in the meantime; values set since then are newer than those
    // read.
    if (this.#values === since) this.#values = { ...stored, ...since };
  }

  get(key: string): unknown {
    return this.#values[key];
  }

  /** A value that another view can change while the reader is visible. Reactive, unlike `get`. */
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
    return this.#refused.has(key);
  }

  set(key: string, value: unknown): void {
    this.#values[key] = value;
    this.#changed.add(key);
    this.#followed.get(key)?.changed();
    if (this.#timer !== null) return;
    // After the whole change and after work the user waits for: e.g. an opened tab is shown first.
    void nextTask().then(() => this.#write());
    this.#timer = setTimeout(() => this.flush(), SETTLE_MS);
  }

  /**
   * Writes a value immediately, for data that is more than a layout. `connectionId`: the one the value belongs to, which
   * can have been left. Throws AppError if it cannot be stored.
   */
  async save(key: string, value: unknown, connectionId: string | null): Promise<void> {
    if (connectionId === null || this.#removed.has(connectionId)) return;
    await this.#storage.write(connectionId, key, value);
    if (this.#connectionId !== connectionId) return;
    this.#values[key] = value;
    this.#changed.delete(key);
  }

  /** Writes pending changes now. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#write();
  }

  #write(): void {
    const connectionId = this.#connectionId;
    const changed = [...this.#changed];
    this.#changed.clear();
    if (connectionId === null) return;
    for (const key of changed) {
      this.#storage.write(connectionId, key, this.#values[key] ?? null).then(
        () => this.#refused.delete(key),
        // The connection can have been removed, or the value is too large: callers that need to know use
        // `isRefused`.
        () => this.#refused.add(key),
      );
    }
  }

  /** The connection was removed: pending writes are discarded. */
  forget(): void {
    this.#changed.clear();
    if (this.#connectionId !== null) this.#removed.add(this.#connectionId);
    this.#connectionId = null;
    this.#values = {};
  }
}
