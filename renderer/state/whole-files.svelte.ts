/** The other way of uploading a file in preparation: it is sent unchanged, and a task of the service reads its rows. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { OfferedFile } from '../../electron/shared/upload-model.ts';
import type { WholeFile, WholeFileLook } from '../../electron/shared/whole-file-contract.ts';
import { jobs } from './jobs.svelte.ts';
import { LatestRequest } from './newest.ts';
import type { StartChoice } from './start-choice.svelte.ts';

/** The part of the upload in preparation that is needed here. */
interface Prepared {
  readonly draftId: string;
  readonly connectionId: string;
  readonly file: Pick<OfferedFile, 'fileId'>;
  readonly model: { id: string } | null;
  readonly envType: string;
  readonly envName: string;
  readonly publishes: boolean;
  readonly start: Pick<StartChoice, 'atMs'>;
}

export class WholeFileChoices {
  look = $state.raw<WholeFileLook | null>(null);
  isSending = $state(false);
  /** The reason why the file cannot be sent, or was not sent. */
  error = $state.raw<AppError | null>(null);
  readonly #draft: Prepared;
  readonly #latest = new LatestRequest();

  /** The problem that prevents sending; null if there is none. */
  readonly problem: string | null = $derived.by(() => {
    const { model, envType, envName, publishes } = this.#draft;
    if (this.look === null)
      return this.error === null ? 'Reading the file…' : 'This file cannot be sent as it is.';
    if (!publishes) return null;
    if (model === null) return 'Choose a model.';
    if (envType.trim() === '') return 'Enter an environment type.';
    return envType.trim() === 'PRE_PRODUCTION' && envName.trim() === '' ? 'Enter an environment name.' : null;
  });
  readonly requests: { operation: string; count: number }[] = $derived.by(() => {
    if (this.look === null) return [];
    const publishing = this.#draft.publishes ? [{ operation: 'events.publish', count: 1 }] : [];
    return [...this.look.requests, ...publishing];
  });

  constructor(draft: Prepared) {
    this.#draft = draft;
  }

  /** Reads the number of parts, and the format that the service will assume. */
  async lookAt(): Promise<void> {
    const { file, connectionId } = this.#draft;
    const isLast = this.#latest.ask();
    this.error = null;
    try {
      const look = await jobs.plan('file', { fileId: file.fileId }, connectionId);
      if (isLast()) this.look = look;
    } catch (thrown) {
      if (!isLast()) return;
      this.look = null;
      this.error = toAppError(thrown);
    }
  }

  /** Starts sending, now or at the chosen time. Returns null if that failed; `error` then has the reason. */
  async send(): Promise<WholeFile | null> {
    const { draftId, file, connectionId, model, envType, envName, publishes, start } = this.#draft;
    if (this.problem !== null || this.isSending) return null;
    this.isSending = true;
    this.error = null;
    const name = envName.trim();
    try {
      const sent = {
        fileId: file.fileId,
        modelId: publishes ? (model?.id ?? null) : null,
        envType: envType.trim(),
        envName: name === '' ? null : name,
        publishes,
        preparationId: draftId,
      };
      return await jobs.create('file', sent, start.atMs, connectionId);
    } catch (thrown) {
      this.error = toAppError(thrown);
      return null;
    } finally {
      this.isSending = false;
    }
  }
}
