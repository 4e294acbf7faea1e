/** Stores the choices for a file in preparation, so that a quit or a crash loses nothing. */
import { untrack } from 'svelte';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { UploadChoices } from '../../electron/shared/upload-preparation.ts';
import { client } from '../lib/client.ts';
import type { UploadDraft } from './uploads-draft.svelte.ts';

/** The first change is written at once. Of later changes within this time, only the last state is written. */
const SETTLE_MS = 400;

export class UploadKeeper {
  /** Error of writing the last change. */
  error = $state.raw<AppError | null>(null);
  readonly #draft: UploadDraft;
  readonly #stopWatching: () => void;
  #kept: string | null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #hasEnded = false;

  /** `kept`: the choices that are already stored, if the file was restored. */
  constructor(draft: UploadDraft, kept: UploadChoices | null) {
    this.#draft = draft;
    this.#kept = kept === null ? null : textOf(draft);
    this.#stopWatching = $effect.root(() => {
      $effect(() => {
        const text = textOf(draft);
        untrack(() => this.#changed(text));
      });
    });
  }

  #changed(text: string): void {
    if (text === this.#kept || this.#hasEnded || this.#timer !== null) return;
    void this.#write();
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (textOf(this.#draft) !== this.#kept) void this.#write();
    }, SETTLE_MS);
  }

  async #write(): Promise<void> {
    const { connectionId, draftId, file, choices } = this.#draft;
    const text = textOf(this.#draft);
    this.#kept = text;
    const chosen = { fileId: file.fileId, choices };
    const argument = { connectionId, preparationId: draftId, chosen };
    try {
      await client.invoke('uploads:keep-preparation', argument);
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
      // A failed write is repeated with the next change.
      if (this.#kept === text) this.#kept = null;
    }
  }

  /** Stops writing. */
  end(): void {
    this.#hasEnded = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#stopWatching();
  }
}

function textOf({ file, choices }: UploadDraft): string {
  return JSON.stringify([file.fileId, choices]);
}
