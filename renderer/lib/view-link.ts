/** A view as a link or as text: writes it, and reads untrusted input safely. Pure. */
import { parseExact } from '../../electron/shared/exact-json.ts';
import {
  isViewLink,
  keptParams,
  MAX_VIEW_CHARACTERS,
  type SharedView,
  sharedView,
  VIEW_LINK,
} from '../../electron/shared/saved-view.ts';

const FORMAT = 'spandeck-view';

/** The view as readable text. */
export function viewText(shared: SharedView): string {
  return JSON.stringify({ format: FORMAT, version: 1, ...shared }, null, 2);
}

/** `spandeck://view/…`; null if it would be longer than operating systems accept. */
export function viewLink(shared: SharedView): string | null {
  const bytes = new TextEncoder().encode(JSON.stringify({ format: FORMAT, version: 1, ...shared }));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  const link = `${VIEW_LINK}${btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')}`;
  return link.length > MAX_VIEW_CHARACTERS ? null : link;
}

/** File name suffix of saved views. */
export const VIEW_FILE_ENDING = '.spandeck-view.json';
/** Larger files are not read: they cannot hold a view. */
export const MAX_VIEW_FILE_BYTES = MAX_VIEW_CHARACTERS * 8;

const VIEW_START = /^\{\s*"format"\s*:\s*"spandeck-view"/;

/** Whether the content of a file looks like a view, intact or damaged. */
export function isViewText(text: string): boolean {
  const start = text.trimStart();
  if (isViewLink(start)) return true;
  const value = start.startsWith('{') ? parsed(start) : null;
  // Damaged text begins as `viewText` writes it.
  return value === null ? VIEW_START.test(start) : 'format' in value && value.format === FORMAT;
}

type ReadView = { isOk: true; shared: SharedView } | { isOk: false; problem: string };
const problemOf = (problem: string): ReadView => ({ isOk: false, problem });

/** Reads a link or the text of a view, which is untrusted. */
export function readSharedView(text: string): ReadView {
  const typed = text.trim();
  if (typed.length > MAX_VIEW_CHARACTERS * 2) return problemOf('This is too long for a view.');
  if (!isViewLink(typed) && !typed.startsWith('{'))
    return problemOf('Expected a link that begins with spandeck://view/, or the text of a view.');
  const isLink = isViewLink(typed);
  const json = isLink ? decoded(typed.slice(VIEW_LINK.length)) : typed;
  const value = json === null ? null : parsed(json);
  if (value === null)
    return problemOf(
      isLink
        ? 'The link is damaged or was cut off. Copy the whole link again.'
        : 'The text is not complete JSON. Copy the whole text again.',
    );
  const { format, version } = value as Record<string, unknown>;
  if (format !== FORMAT) return problemOf('This is not a view of Spandeck.');
  if (version !== 1) return problemOf('The view was made with a newer Spandeck. Update Spandeck to open it.');
  const checked = sharedView.safeParse(value);
  if (checked.success) {
    const { name, service, view } = checked.data;
    return { isOk: true, shared: { name, service, view: { ...view, params: keptParams(view.params) } } };
  }
  const place = checked.error.issues[0]?.path.join('.') ?? '';
  return problemOf(
    place === '' ? 'The view has an unknown part.' : `The view has a part that cannot be used: ${place}.`,
  );
}

function decoded(base64: string): string | null {
  try {
    const binary = atob(base64.replace(/\/$/, '').replaceAll('-', '+').replaceAll('_', '/'));
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(binary, (each) => each.charCodeAt(0)),
    );
  } catch {
    // Not base64, or truncated within a character.
    return null;
  }
}

function parsed(json: string): object | null {
  try {
    const value = parseExact(json);
    return typeof value === 'object' && value !== null ? value : null;
  } catch {
    // Not JSON.
    return null;
  }
}
