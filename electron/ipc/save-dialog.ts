/** The dialogs for files and folders to write to. */
import { chooseFolder, chooseSavePath, folderOf } from '../platform/dialogs.ts';
import { AppError } from '../shared/errors.ts';
import type { HandlerDeps } from './handler-deps.ts';

/**
 * Asks for a path and calls `write` with it. Returns the result of `write` with the file name; null if cancelled.
 * Throws the errors of `write`.
 */
export async function saveAs<T extends object>(
  { engine, window }: Pick<HandlerDeps, 'engine' | 'window'>,
  proposedName: string,
  write: (path: string) => Promise<T>,
): Promise<(T & { fileName: string }) | null> {
  const open = window();
  if (open === null) throw new AppError('INTERNAL', 'There is no window to ask in.');
  const path = await chooseSavePath(open, engine.readSettings().lastFolder, proposedName);
  if (path === null) return null;
  engine.saveSettings({ lastFolder: folderOf(path) });
  return { ...(await write(path)), fileName: path.split(/[\\/]/).at(-1) ?? path };
}

/** Like `saveAs`, for a folder, which may be new. */
export async function saveInFolder<T extends object>(
  { engine, window }: Pick<HandlerDeps, 'engine' | 'window'>,
  write: (path: string) => Promise<T>,
): Promise<(T & { fileName: string }) | null> {
  const open = window();
  if (open === null) throw new AppError('INTERNAL', 'There is no window to ask in.');
  const path = await chooseFolder(open, engine.readSettings().lastFolder);
  if (path === null) return null;
  engine.saveSettings({ lastFolder: folderOf(path) });
  return { ...(await write(path)), fileName: path.split(/[\\/]/).findLast((name) => name !== '') ?? path };
}
