/**
 * Short messages at the edge of the window. Names in them are untrusted and must not change the text direction of the
 * sentence.
 */
import { toast as show } from 'svelte-sonner';
import { sentence } from '../../electron/shared/untrusted-text.ts';
import { shownText } from '../lib/message-privacy.ts';

/** A kind of tab that shows what a notice is about. */
type ShownIn = 'outbox' | 'jobs';

interface Options {
  /** The notice ends when a tab of this kind is shown. */
  shownIn?: ShownIn;
  description?: string;
  id?: string;
  duration?: number;
  closeButton?: boolean;
  action?: { label: string; onClick: () => void };
}

const shown = new Map<string, Set<string | number>>();

function safe({ description, shownIn: _, ...rest }: Options): Options {
  return description === undefined ? rest : { ...rest, description: shownText(sentence(description)) };
}

function note(id: string | number, { shownIn }: Options): void {
  if (shownIn === undefined) return;
  const ids = shown.get(shownIn) ?? new Set();
  shown.set(shownIn, ids.add(id));
}

export function toast(text: string, options: Options = {}): void {
  note(show(shownText(sentence(text)), safe(options)), options);
}

export function toastError(text: string, options: Options = {}): void {
  note(show.error(shownText(sentence(text)), safe(options)), options);
}

export function endNotice(id: string): void {
  show.dismiss(id);
}

/** Ends the notices about the content of a tab that is shown now. */
export function endNotices(tabKind: string): void {
  for (const id of shown.get(tabKind) ?? []) show.dismiss(id);
  shown.delete(tabKind);
}
