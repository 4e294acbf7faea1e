import { chooseSavePath, folderOf } from '../platform/dialogs.ts';
import { createPartFiles } from '../platform/part-file.ts';
import { AppError } from '../shared/errors.ts';
import type { HandlerDeps, HandlersOf } from './handler-deps.ts';

/** Files that the window makes: the place is asked for with the first part. */
export function saveHandlers({ engine, window }: HandlerDeps): HandlersOf<'saves'> {
  const files = createPartFiles();
  return {
    'saves:begin': async ({ saveId, fileName }) => {
      const open = window();
      if (open === null) throw new AppError('INTERNAL', 'There is no window to ask in.');
      const path = await chooseSavePath(open, engine.readSettings().lastFolder, fileName);
      if (path === null) return false;
      engine.saveSettings({ lastFolder: folderOf(path) });
      await files.begin(saveId, path);
      return true;
    },
    'saves:add': async ({ saveId, base64 }) => {
      await files.add(saveId, Buffer.from(base64, 'base64'));
      return null;
    },
    'saves:end': async ({ saveId }) => {
      const path = await files.end(saveId);
      return { fileName: path.split(/[\\/]/).at(-1) ?? path };
    },
  };
}
