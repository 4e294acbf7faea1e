import { byAction, type HandlerDeps, type HandlersOf } from './handler-deps.ts';
import { saveAs } from './save-dialog.ts';

export function reportHandlers({ engine, window, printPdf }: HandlerDeps): HandlersOf<'reports'> {
  const { reports } = engine;
  return {
    'reports:act': byAction<'reports:act'>({
      fields: ({ connectionId, subject }) => reports.fields(connectionId, subject),
      write: ({ connectionId, subject, options, fileName, form }) =>
        saveAs({ engine, window }, fileName, (path) =>
          reports.write(connectionId, subject, options, path, form === 'pdf' ? printPdf : null),
        ),
    }),
  };
}
