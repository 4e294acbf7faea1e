import { runtimeInfo } from '../platform/runtime.ts';
import { byAction, type HandlerDeps, type HandlersOf } from './handler-deps.ts';
import { saveAs } from './save-dialog.ts';

export function healthHandlers({ engine, window }: HandlerDeps): HandlersOf<'health'> {
  const { health, selfCheck } = engine;
  return {
    'health:act': byAction<'health:act'>({
      'get-storage': () => health.storage(),
      check: () => health.check(),
      compact: ({ connectionId }) => health.compact(connectionId),
      'self-check': ({ connectionId }) => selfCheck.run(connectionId),
      'save-report': ({ connectionId }) =>
        saveAs({ engine, window }, 'spandeck-report.txt', async (path) => {
          const { version, runtime, versions, platform } = runtimeInfo();
          const head = [`Spandeck ${version} on ${platform}`, `${runtime}: ${JSON.stringify(versions)}`];
          await engine.writeFile(path, Buffer.from(await selfCheck.report(connectionId, head)));
          return {};
        }),
      'get-copies': () => health.copies(),
      'restore-copy': ({ connectionId, store, name }) => health.restoreCopy({ connectionId, store, name }),
      'remove-copy': async ({ connectionId, store, name }) => {
        await health.removeCopy({ connectionId, store, name });
        return null;
      },
      repair: ({ connectionId, store }) => health.repair(connectionId, store),
    }),
  };
}
