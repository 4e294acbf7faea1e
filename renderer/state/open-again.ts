/**
 * Opens lists and records again after the session of their connection was closed: its settings were saved, its stored
 * data was repaired, or damage was found. The next session only knows lists and records that were opened in it.
 */
import type { client as realClient } from '../lib/client.ts';

interface Subject {
  connectionId: string;
  viewId: string;
}

/** Subjects whose session was closed while they were not shown. */
const due = new Set<OpenAgain>();

export const shownViews = {
  /** Whether a view is shown. Set by the window. */
  isShown: (_viewId: string): boolean => true,
  /** To be called when other views are shown. */
  look(): void {
    for (const each of [...due]) each.look();
  },
};

export class OpenAgain {
  readonly #client: Pick<typeof realClient, 'on'>;
  readonly #subject: Subject;
  readonly #open: () => unknown;
  #isShown = true;
  #stopListening: (() => void) | null = null;

  /** `open`: opens the list or record again, or does nothing if it was not opened yet. Must not throw. */
  constructor(client: Pick<typeof realClient, 'on'>, subject: Subject, open: () => unknown) {
    this.#client = client;
    this.#subject = subject;
    this.#open = open;
  }

  /** To be called before the list or record is opened. */
  opening(): void {
    due.delete(this);
    this.#stopListening ??= this.#client.on('connections:session-closed', ({ connectionId }) => {
      if (connectionId !== this.#subject.connectionId) return;
      due.add(this);
      this.look();
    });
  }

  /** A list or record that is not shown is opened again when it is shown. */
  setShown(isShown: boolean): void {
    this.#isShown = isShown;
    this.look();
  }

  /** Opens the list or record if that is due and its view is shown. */
  look(): void {
    if (!this.#isShown || !due.has(this) || !shownViews.isShown(this.#subject.viewId)) return;
    due.delete(this);
    this.#open();
  }

  dispose(): void {
    due.delete(this);
    this.#stopListening?.();
    this.#stopListening = null;
  }
}
