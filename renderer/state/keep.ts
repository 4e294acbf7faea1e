/**
 * What the window remembers of each connection between starts: open tabs and column layouts. Read whole when a
 * connection is activated, written through; forgotten with the connection.
 */
export interface KeepStorage {
  read(connectionId: string): Promise<Record<string, unknown>>;
  write(connectionId: string, key: string, value: unknown): Promise<void>;
}

const PREFIX = 'spandeck.keep.';

export const localKeep: KeepStorage = {
  async read(connectionId) {
    const found: Record<string, unknown> = {};
    const prefix = `${PREFIX}${connectionId}.`;
    for (const [key, text] of Object.entries(localStorage)) {
      if (key.startsWith(prefix)) found[key.slice(prefix.length)] = JSON.parse(String(text));
    }
    return found;
  },
  async write(connectionId, key, value) {
    localStorage.setItem(`${PREFIX}${connectionId}.${key}`, JSON.stringify(value));
  },
};

export class Keep {
  #connectionId: string | null = null;
  #values: Record<string, unknown> = {};
  readonly #storage: KeepStorage;

  constructor(storage: KeepStorage) {
    this.#storage = storage;
  }

  async load(connectionId: string): Promise<void> {
    this.#connectionId = connectionId;
    this.#values = {};
    const values = await this.#storage.read(connectionId);
    if (this.#connectionId === connectionId) this.#values = { ...values, ...this.#values };
  }

  get(key: string): unknown {
    return this.#values[key];
  }

  set(key: string, value: unknown): void {
    this.#values[key] = value;
    if (this.#connectionId !== null) void this.#storage.write(this.#connectionId, key, value);
  }
}
