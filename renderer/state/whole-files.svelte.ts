/** The file that is being prepared to be sent whole. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { WholeFileLook } from '../../electron/shared/whole-file-contract.ts';
import { client } from '../lib/client.ts';
import { isObject, type JsonObject, textField } from '../lib/records.ts';
import type { Draftable } from './drafts.svelte.ts';
import { jobs } from './jobs.svelte.ts';
import { StartChoice } from './start-choice.svelte.ts';
import { LibraryRows } from './uploads-library.svelte.ts';

/** A file that is to be sent; kept while its tab is open. */
export class WholeFileDraft implements Draftable {
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
  /** The file that was chosen before the form was left, while it is not known whether it is still there. */
  lostFile = $state.raw<{ fileId: string; name: string } | null>(null);
  /** Model and environment of the file that was sent last: they stay. */
  #modelBefore = $state('');
  #nameBefore = $state('');

  /** What keeps it from being sent, or null. */
  readonly problem: string | null = $derived.by(() => {
    if (this.look === null) return 'Choose a file.';
    if (!this.publishes) return null;
    if (this.model === null) return 'Choose a model.';
    if (this.envType.trim() === '') return 'Enter an environment type.';
    return this.envType.trim() === 'PRE_PRODUCTION' && this.envName.trim() === ''
      ? 'Enter an environment name.'
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
      this.#take(await this.#lookAt(chosen.fileId));
    } catch (thrown) {
      this.error = toAppError(thrown);
    } finally {
      this.isChoosing = false;
    }
  }

  #lookAt(fileId: string): Promise<WholeFileLook> {
    return jobs.plan('file', { fileId }, this.connectionId);
  }

  chooseModel(model: { id: string; name: string }): void {
    if (model.id === this.model?.id) return;
    this.environments?.dispose();
    this.model = model;
    this.environments = new LibraryRows(this.connectionId, 'models.environments', { model_id: model.id });
    void this.environments.open();
  }

  /** What is chosen and not sent; null where nothing is. Of the file only what main knows it by, and its name. */
  get draft(): JsonObject | null {
    const { look, lostFile, model, envType, envName, publishes, start } = this;
    const file = look === null ? lostFile : { fileId: look.fileId, name: look.name };
    const isFresh = file === null && (model?.id ?? '') === this.#modelBefore && envName === this.#nameBefore;
    if (isFresh && publishes) return null;
    const startText = start.when === 'later' ? start.text : '';
    return { file, model, envType, envName, publishes, when: start.when, startText };
  }

  takeDraft(value: JsonObject): void {
    const { file, model } = value;
    if (isObject(model)) this.chooseModel({ id: textField(model, 'id'), name: textField(model, 'name') });
    if (textField(value, 'envType') !== '') this.envType = textField(value, 'envType');
    this.envName = textField(value, 'envName');
    this.publishes = value['publishes'] !== false;
    this.start.when = value['when'] === 'later' ? 'later' : 'now';
    this.start.text = textField(value, 'startText');
    this.look = null;
    this.lostFile = isObject(file)
      ? { fileId: textField(file, 'fileId'), name: textField(file, 'name') }
      : null;
    void this.#findAgain();
  }

  /** Main knows a file until it ends; after that it has to be chosen again, which the form says. */
  async #findAgain(): Promise<void> {
    const lost = this.lostFile;
    if (lost === null) return;
    const look = await this.#lookAt(lost.fileId).catch(() => null);
    if (look !== null && this.lostFile === lost) this.#take(look);
  }

  #take(look: WholeFileLook | null): void {
    this.look = look;
    this.lostFile = null;
  }

  /** As it was before anything was chosen. */
  reset(): void {
    this.#take(null);
    this.model = null;
    this.environments?.dispose();
    this.environments = null;
    this.envType = 'PRE_PRODUCTION';
    this.envName = '';
    this.publishes = true;
    this.start.clear();
    this.#settle();
  }

  /** What stands here now is not to be kept as if it were new. */
  #settle(): void {
    this.#modelBefore = this.model?.id ?? '';
    this.#nameBefore = this.envName;
  }

  /** Begins the sending and clears the file, so that it is not sent twice by accident. */
  async send(): Promise<void> {
    const { look, connectionId, publishes } = this;
    if (look === null || this.problem !== null || this.isSending) return;
    this.isSending = true;
    this.error = null;
    const envName = this.envName.trim();
    try {
      const file = {
        fileId: look.fileId,
        modelId: publishes ? (this.model?.id ?? null) : null,
        envType: this.envType.trim(),
        envName: envName === '' ? null : envName,
        publishes,
      };
      await jobs.create('file', file, this.start.atMs, connectionId);
      this.#take(null);
      this.start.clear();
      this.#settle();
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
