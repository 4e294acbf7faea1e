/** Stored data, its size and its integrity. The main process reads and maintains it. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type {
  ConnectionCopy,
  CopyRestored,
  SelfCheckLine,
  StorageReport,
  StoreCheck,
  StoreCompacted,
  StoreName,
  StoreRepaired,
} from '../../electron/shared/health-model.ts';
import { client } from '../lib/client.ts';

export class HealthState {
  storage = $state.raw<StorageReport | null>(null);
  error = $state.raw<AppError | null>(null);
  checks = $state.raw<StoreCheck[] | null>(null);
  compacted = $state.raw<StoreCompacted[] | null>(null);
  repaired = $state.raw<StoreRepaired[]>([]);
  /** Copies of stores, newest first; null until they are read. */
  copies = $state.raw<ConnectionCopy[] | null>(null);
  copiesError = $state.raw<AppError | null>(null);
  restored = $state.raw<CopyRestored[]>([]);
  /** The running operation; there is at most one. */
  doing = $state<'check' | 'self-check' | 'compact' | 'repair' | 'restore' | null>(null);
  /** Results of the last self-check. */
  found = $state.raw<readonly SelfCheckLine[] | null>(null);
  /** Error of the last operation. */
  problem = $state.raw<AppError | null>(null);

  async load(): Promise<void> {
    try {
      this.storage = await client.act('health:act', 'get-storage', {});
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  async loadCopies(): Promise<void> {
    try {
      this.copies = await client.act('health:act', 'get-copies', {});
      this.copiesError = null;
    } catch (thrown) {
      this.copiesError = toAppError(thrown);
    }
  }

  /** Throws AppError if the store was not changed. */
  async restoreCopy({ connectionId, store, name }: ConnectionCopy): Promise<void> {
    this.doing = 'restore';
    try {
      const done = await client.act('health:act', 'restore-copy', { connectionId, store, name });
      this.restored = [...this.restored, done];
      await Promise.all([this.load(), this.loadCopies()]);
    } finally {
      this.doing = null;
    }
  }

  /** Throws AppError. */
  async removeCopy({ connectionId, store, name }: ConnectionCopy): Promise<void> {
    await client.act('health:act', 'remove-copy', { connectionId, store, name });
    await Promise.all([this.load(), this.loadCopies()]);
  }

  selfCheck(connectionId: string | null): Promise<void> {
    return this.#do('self-check', async () => {
      this.found = await client.act('health:act', 'self-check', { connectionId });
    });
  }

  /** Returns the saved file; null if the user cancelled. Throws AppError. */
  saveReport(connectionId: string | null): Promise<{ fileName: string } | null> {
    return client.act('health:act', 'save-report', { connectionId });
  }

  check(): Promise<void> {
    return this.#do('check', async () => {
      this.checks = await client.act('health:act', 'check', {});
    });
  }

  compact(): Promise<void> {
    return this.#do('compact', async () => {
      this.compacted = await client.act('health:act', 'compact', { connectionId: null });
      await this.load();
    });
  }

  /** Throws AppError if nothing was changed. */
  async repair(connectionId: string | null, store: StoreName): Promise<void> {
    this.doing = 'repair';
    try {
      const done = await client.act('health:act', 'repair', { connectionId, store });
      this.repaired = [...this.repaired, done];
      this.checks = await client.act('health:act', 'check', {});
      await Promise.all([this.load(), this.loadCopies()]);
    } finally {
      this.doing = null;
    }
  }

  async #do(what: 'check' | 'self-check' | 'compact', work: () => Promise<void>): Promise<void> {
    if (this.doing !== null) return;
    this.doing = what;
    this.problem = null;
    try {
      await work();
    } catch (thrown) {
      this.problem = toAppError(thrown);
    } finally {
      this.doing = null;
    }
  }

  dispose(): void {
    this.storage = null;
  }
}
