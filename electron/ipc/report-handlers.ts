import { openPage } from '../platform/dialogs.ts';
import { toAppError } from '../shared/errors.ts';
import { byAction, type HandlerDeps, type HandlersOf } from './handler-deps.ts';
import { saveAs } from './save-dialog.ts';

export function reportHandlers({ engine, window }: HandlerDeps): HandlersOf<'reports'> {
  const { reports } = engine;
  return {
    'reports:act': byAction<'reports:act'>({
      fields: ({ connectionId, subject }) => reports.fields(connectionId, subject),
      write: ({ connectionId, subject, options, fileName, opens }) =>
        saveAs({ engine, window }, fileName, async (path) => {
          const written = await reports.write(connectionId, subject, options, path);
          return { ...written, unopened: opens ? await opened(path) : '' };
        }),
    }),
  };
}

/** Why the browser did not open it; empty if it did. The file is written in any case. */
async function opened(path: string): Promise<string> {
  try {
    await openPage(path);
    return '';
  } catch (thrown) {
    return toAppError(thrown).message;
  }
}
