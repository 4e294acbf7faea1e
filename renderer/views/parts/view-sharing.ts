/** Shares a view as a link or as text. Neither contains the token of the connection. */
import type { SavedView, SharedView, ViewContent } from '../../../electron/shared/saved-view.ts';
import {
  isViewText,
  MAX_VIEW_FILE_BYTES,
  VIEW_FILE_ENDING,
  viewLink,
  viewText,
} from '../../lib/view-link.ts';
import { app } from '../../state/app.svelte.ts';
import { clock } from '../../state/clock.svelte.ts';

/** The address without user name, password, query and fragment, which may contain secrets. */
export function serviceAddress(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url === null ? '' : `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function sharedOf(name: string, { kind, title, params, grid }: ViewContent): SharedView {
  const service = serviceAddress(app.connections.active?.baseUrl ?? '');
  return { name, service, view: { kind, title, params, grid } };
}

export async function copyLink(name: string, content: ViewContent): Promise<void> {
  const shared = sharedOf(name, content);
  const link = viewLink(shared);
  await app.run(() =>
    link === null
      ? app.copy(viewText(shared), 'Too long for a link: copied as text. It can be pasted in “Open a link…”.')
      : app.copy(link, 'Link copied. It holds the filter, not the token or the rows.'),
  );
}

export async function copyText(view: SavedView): Promise<void> {
  await app.run(() => app.copy(viewText(sharedOf(view.name, view)), `“${view.name}” copied as text`));
}

/** A name as a file name, without characters that file systems reserve. */
export const fileNameOf = (name: string, ending: string): string =>
  `${name.replaceAll(/[\\/:*?"<>|]/g, '-')}${ending}`;

export async function saveFile(view: SavedView): Promise<void> {
  const content = new Blob([viewText(sharedOf(view.name, view))], { type: 'application/json' });
  await app.run(() => app.save(fileNameOf(view.name, VIEW_FILE_ENDING), content));
}

/** Shows the view in a dropped file, before anything is opened. Returns false if the file is not a view. */
export async function takeViewFile(file: File): Promise<boolean> {
  if (file.size > MAX_VIEW_FILE_BYTES) return false;
  // If the file cannot be read, the upload form reports it.
  const text = await file.text().catch(() => '');
  if (!isViewText(text)) return false;
  app.views.dialog = { about: 'link', text };
  return true;
}

export async function removeView(view: SavedView): Promise<void> {
  const steps = { undo: () => app.views.put(view), redo: () => app.views.remove(view.id) };
  await app.run(() => app.undoHistory.perform(`Deleted “${view.name}”`, steps));
}

export async function setStarred(view: SavedView, isStarred: boolean): Promise<void> {
  const starred = { ...view, isStarred, savedAtMs: clock.nowMs };
  const done = isStarred ? `Star of “${view.name}”` : `Star removed from “${view.name}”`;
  const steps = { undo: () => app.views.put(view), redo: () => app.views.put(starred) };
  await app.run(() => app.undoHistory.perform(done, steps, { isQuiet: true }));
}
