import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { AppError } from '../shared/errors.ts';
import { byAction, type HandlerDeps, type HandlersOf } from './handler-deps.ts';
import { askForFile } from './open-dialog.ts';
import { saveAs } from './save-dialog.ts';

export function packHandlers({ engine, window }: HandlerDeps): HandlersOf<'pack'> {
  const { packs } = engine;
  /** Path of the chosen file; the window never passes a path. */
  let chosen: string | null = null;
  return {
    'pack:act': byAction<'pack:act'>({
      plan: ({ connectionId, choice }) => packs.plan(connectionId, choice),
      create: ({ connectionId, choice, passphrase }) => {
        return saveAs({ engine, window }, 'spandeck.pack', (path) =>
          packs.create(connectionId, choice, path, passphrase),
        );
      },
      choose: async () => {
        const path = await askForFile({ engine, window }, 'pack');
        if (path === null) return null;
        chosen = path;
        return { fileName: basename(path), sizeBytes: (await stat(path)).size };
      },
      open: async ({ passphrase }) => {
        if (chosen === null)
          throw new AppError('INVALID_ARGUMENT', 'Expected a pack to open; none was chosen.');
        const { id } = await packs.open(chosen, passphrase);
        return engine.connections.activate(id);
      },
      cancel: async () => {
        await packs.cancel();
        return null;
      },
    }),
  };
}
