import { askedAgain, type HandlerDeps, type HandlersOf } from './handler-deps.ts';

export function fileHandlers({ engine }: HandlerDeps): HandlersOf<'files'> {
  const asked = async (connectionId: string) => (await askedAgain(engine, connectionId)).uploads.wholeFiles;
  return {
    'files:look': ({ fileId }) => engine.files.lookAtWhole(fileId),
    'files:send': async ({ connectionId, fileId, startAtMs, ...request }) =>
      (await asked(connectionId)).send(fileId, request, startAtMs ?? null),
    'files:list': async ({ connectionId }) => ({
      files: (await engine.session(connectionId)).uploads.wholeFiles.list(),
    }),
    'files:control': async ({ connectionId, id, action, startAtMs }) =>
      (await asked(connectionId)).control(id, action, startAtMs ?? null),
  };
}
