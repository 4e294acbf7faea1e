/** A view as a link or as text: writes it, and safely reads untrusted input. Pure. */
import {
  isViewLink,
  keptParams,
  MAX_VIEW_CHARACTERS,
  type SharedView,
  sharedView,
  VIEW_LINK,
} from '../../electron/shared/saved-view.ts';
import { isSharedText, readShared, sharedText } from '../../electron/shared/shared-text.ts';

const VIEW = { format: 'spandeck-view', noun: 'view', schema: sharedView };

/** The view as readable text. */
export function viewText(shared: SharedView): string {
  return sharedText(VIEW.format, shared);
}

/** `spandeck://view/…`; null if it would be longer than operating systems accept. */
export function viewLink(shared: SharedView): string | null {
  const bytes = new TextEncoder().encode(sharedText(VIEW.format, shared, 0));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const link = `${VIEW_LINK}${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
  return link.length > MAX_VIEW_CHARACTERS ? null : link;
}

/** File name suffix of saved views. */
export const VIEW_FILE_ENDING = '.spandeck-view.json';
/** Larger files are not read, as no view is that large. */
export const MAX_VIEW_FILE_BYTES = MAX_VIEW_CHARACTERS * 8;

/** Whether the content of a file looks like a view, even a damaged one. */
export function isViewText(text: string): boolean {
  return isViewLink(text.trimStart()) || isSharedText(VIEW.format, text);
}

type ReadView = { isOk: true; shared: SharedView } | { isOk: false; problem: string };
const problemOf = (problem: string): ReadView => ({ isOk: false, problem });

const DAMAGED_LINK = 'The link is damaged or was cut off. Copy the whole link again.';

/** Reads a link or the text of a view, which is untrusted. */
export function readSharedView(text: string): ReadView {
  const typed = text.trim();
  if (typed.length > MAX_VIEW_CHARACTERS * 2) return problemOf('This is too long for a view.');
  if (!isViewLink(typed) && !typed.startsWith('{'))
    return problemOf('Expected a link that begins with spandeck://view/, or the text of a view.');
  const isLink = isViewLink(typed);
  const json = isLink ? decoded(typed.slice(VIEW_LINK.length)) : typed;
  if (json === null) return problemOf(DAMAGED_LINK);
  const read = readShared(VIEW, json, isLink ? DAMAGED_LINK : undefined);
  if (!read.isOk) return read;
  const { name, service, view } = read.value;
  return { isOk: true, shared: { name, service, view: { ...view, params: keptParams(view.params) } } };
}

function decoded(base64: string): string | null {
  try {
    const binary = atob(base64.replace(/\/$/, '').replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(binary, (each) => each.charCodeAt(0)),
    );
  } catch {
    // The text is not base64, or was truncated within a character.
    return null;
  }
}
