/**
 * What the window remembers of each connection between starts: open tabs and column layouts. Read whole when a
 * connection is entered, written through; main keeps it beside the connection's pages and forgets it with them.
 */
import { client } from '../lib/client.ts';
import { nextTask } from '../lib/next-task.ts';

interface KeepStorage {
  read(connectionId: string): Promise<Record<string, unknown>>;
  write(connectionId: string, key: string, value: unknown): Promise<void>;
}

export const storedKeep: KeepStorage = {
  read: (connectionId) => client.invoke('layout:read', { connectionId }),
  write: async (connectionId, key, value) => {
    await client.invoke('layout:write', { connectionId, key, value });
  },
};

/** What is typed before there is any connection: it lies among the settings. */
export const settingsKeep: KeepStorage = {
  read: async () => (await client.invoke('settings:get')).firstConnection ?? {},
  write: async (_, key, value) => {
    const firstConnection = value === null ? null : { [key]: value };
    await client.invoke('settings:set', { firstConnection });
  },
};

/**
 * A drag of a column edge changes its width many times a second: the first change is written at once, of those
 * that follow within this time only the last.
 */
const SETTLE_MS = 400;

export class Keep {
  #connectionId: string | null = null;
  #values: Record<string, unknown> = {};
  readonly #storage: KeepStorage;
  readonly #changed = new Set<string>();
  readonly #refused = new Set<string>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(storage: KeepStorage) {
    this.#storage = storage;
  }

  /** Nothing is remembered where reading fails: a layout is no reason not to open a connection. */
  async load(connectionId: string): Promise<void> {
    this.flush();
    this.#connectionId = connectionId;
    this.#refused.clear();
    const since: Record<string, unknown> = {};
    this.#values = since;
    const stored = await this.#storage.read(connectionId).catch(() => ({}));
    // Another connection may be asked for meanwhile; what was set meanwhile is newer than what was read.
    if (this.#values === since) this.#values = { ...stored, ...since };
  }

  get(key: string): unknown {
    return this.#values[key];
  }

  /** What is kept under keys that begin so, by the rest of the key. */
  entries(prefix: string): [string, unknown][] {
    return Object.entries(this.#values).flatMap(([key, value]) =>
      key.startsWith(prefix) && value !== null ? [[key.slice(prefix.length), value]] : [],
    );
  }

  /** Could the last value of this key not be written? */
  isRefused(key: string): boolean {
    return this.#refused.has(key);
  }

  set(key: string, value: unknown): void {
    this.#values[key] = value;
    this.#changed.add(key);
    if (this.#timer !== null) return;
    // After the whole of this change, and after what a person waits for: a tab that is opened is also shown.
    void nextTask().then(() => this.#write());
    this.#timer = setTimeout(() => this.flush(), SETTLE_MS);
  }

  /** Writes one value now, for what is more than a layout. Throws AppError where it cannot be kept. */
  async save(key: string, value: unknown): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    await this.#storage.write(connectionId, key, value);
    if (this.#connectionId !== connectionId) return;
    this.#values[key] = value;
    this.#changed.delete(key);
  }

  /** Writes what has changed now. */
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
        // The connection may have been forgotten in between, or this is too much: whoever minds asks `isRefused`.
        () => this.#refused.add(key),
      );
    }
  }

  /** The connection is gone: what was to be written goes with it. */
  forget(): void {
    this.#changed.clear();
    this.#connectionId = null;
    this.#values = {};
  }
}
