/**
 * Short messages at the edge of the window. Names in them are untrusted and must not change the text direction of the
 * sentence.
 */
import { toast as show } from 'svelte-sonner';
import { sentence } from '../../electron/shared/untrusted-text.ts';
import { shownText } from '../lib/message-privacy.ts';

interface Options {
  description?: string;
  id?: string;
  duration?: number;
  closeButton?: boolean;
  action?: { label: string; onClick: () => void };
}

function safe({ description, ...rest }: Options): Options {
  return description === undefined ? rest : { ...rest, description: shownText(sentence(description)) };
}

export function toast(text: string, options: Options = {}): void {
  show(shownText(sentence(text)), safe(options));
}

export function toastError(text: string, options: Options = {}): void {
  show.error(shownText(sentence(text)), safe(options));
}
