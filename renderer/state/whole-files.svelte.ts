/** Files that were sent whole, and the one that is being prepared. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { WholeFile, WholeFileAction, WholeFileLook } from '../../electron/shared/whole-file-contract.ts';
import { client } from '../lib/client.ts';
import { StartChoice } from './start-choice.svelte.ts';
import { LibraryRows } from './uploads-library.svelte.ts';

class WholeFilesState {
  list = $state.raw<WholeFile[]>([]);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);
  #connectionId: string | null = null;

  /** Returns what ends it. */
  listen(): () => void {
    return client.on('files:changed', ({ connectionId, file }) => {
      if (connectionId === this.#connectionId) this.#put(file);
    });
  }

  async watch(connectionId: string): Promise<void> {
    if (this.#connectionId !== connectionId) {
      this.#connectionId = connectionId;
      this.list = [];
      this.isLoaded = false;
    }
    await this.load();
  }

  async load(): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    this.error = null;
    try {
      const { files } = await client.invoke('files:list', { connectionId });
      if (connectionId !== this.#connectionId) return;
      this.list = files;
      this.isLoaded = true;
    } catch (thrown) {
      if (connectionId === this.#connectionId) this.error = toAppError(thrown);
    }
  }

  #put(file: WholeFile): void {
    const at = this.list.findIndex(({ id }) => id === file.id);
    this.list = at === -1 ? [file, ...this.list] : this.list.with(at, file);
  }

  /** Throws AppError; the list is read again, whatever came of it. */
  async control(id: string, action: WholeFileAction, startAtMs: number | null = null): Promise<void> {
    const connectionId = this.#connectionId;
    if (connectionId === null) return;
    try {
      await client.invoke('files:control', { connectionId, id, action, startAtMs });
    } finally {
      await this.load();
    }
  }
}

export const wholeFiles = new WholeFilesState();

/** A file that is to be sent; kept while its tab is open. */
export class WholeFileDraft {
  readonly connectionId: string;
  look = $state.raw<WholeFileLook | null>(null);
  model = $state.raw<{ id: string; name: string } | null>(null);
  environments = $state.raw<LibraryRows | null>(null);
  envType = $state('PRE_PRODUCTION');
  envName = $state('');
  publishes = $state(true);
  readonly start = new StartChoice();
  isChoosing = $state(false);
  isSending = $state(false);
  /** Why the file cannot be sent, or was not. */
  error = $state.raw<AppError | null>(null);

  /** What keeps it from being sent, or null. */
  readonly problem: string | null = $derived.by(() => {
    if (this.look === null) return 'No file is chosen.';
    if (!this.publishes) return null;
    if (this.model === null) return 'No model is chosen.';
    if (this.envType.trim() === '') return 'The environment type is empty.';
    return this.envType.trim() === 'PRE_PRODUCTION' && this.envName.trim() === ''
      ? 'The environment name is empty.'
      : null;
  });
  readonly requests: { operation: string; count: number }[] = $derived(
    this.look === null
      ? []
      : [...this.look.requests, ...(this.publishes ? [{ operation: 'events.publish', count: 1 }] : [])],
  );

  constructor(connectionId: string) {
    this.connectionId = connectionId;
  }

  /** Asks which file; the first one is taken. */
  async choose(): Promise<void> {
    this.isChoosing = true;
    try {
      const [chosen] = await client.invoke('uploads:choose-files');
      if (chosen === undefined) return;
      this.error = null;
      this.look = null;
      this.look = await client.invoke('files:look', { fileId: chosen.fileId });
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.isChoosing = false;
    }
  }

  chooseModel(model: { id: string; name: string }): void {
    if (model.id === this.model?.id) return;
    this.environments?.dispose();
    this.model = model;
    this.environments = new LibraryRows(this.connectionId, 'models.environments', { model_id: model.id });
    void this.environments.open();
  }

  /** Begins the sending and clears the file, so that it is not sent twice by accident. */
  async send(): Promise<void> {
    const { look, connectionId, publishes } = this;
    if (look === null || this.problem !== null || this.isSending) return;
    this.isSending = true;
    this.error = null;
    const envName = this.envName.trim();
    try {
      await client.invoke('files:send', {
        connectionId,
        fileId: look.fileId,
        modelId: publishes ? (this.model?.id ?? null) : null,
        envType: this.envType.trim(),
        envName: envName === '' ? null : envName,
        publishes,
        startAtMs: this.start.atMs,
      });
      this.look = null;
      this.start.clear();
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.isSending = false;
    }
  }

  dispose(): void {
    this.environments?.dispose();
  }
}
