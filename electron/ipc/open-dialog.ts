import { chooseOne, folderOf } from '../platform/dialogs.ts';
import { AppError } from '../shared/errors.ts';
import type { HandlerDeps } from './handler-deps.ts';

/** The file chosen in the system's dialog; its folder becomes the dialog's next starting folder. Null if cancelled. */
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
