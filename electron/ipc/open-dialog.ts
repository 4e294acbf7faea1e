import { chooseOne, folderOf } from '../platform/dialogs.ts';
import { AppError } from '../shared/errors.ts';
import type { HandlerDeps } from './handler-deps.ts';

/** Lets a person choose a file in the system's dialog, which next time starts in its folder. Null if cancelled. */
export async function askForFile(
  { engine, window }: Pick<HandlerDeps, 'engine' | 'window'>,
  kind: Parameters<typeof chooseOne>[1],
): Promise<string | null> {
  const open = window();
  if (open === null) throw new AppError('INTERNAL', 'There is no window to ask in.');
  const path = await chooseOne(open, kind, engine.readSettings().lastFolder);
  if (path !== null) engine.saveSettings({ lastFolder: folderOf(path) });
  return path;
}
