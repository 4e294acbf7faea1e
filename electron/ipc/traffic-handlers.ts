import type { HandlerDeps, HandlersOf } from './handler-deps.ts';
import { saveAs } from './save-dialog.ts';

export function trafficHandlers({ engine, window }: HandlerDeps): HandlersOf<'traffic'> {
  const log = async (connectionId: string) => (await engine.session(connectionId)).requestLog;
  return {
    'traffic:get-lanes': ({ connectionId }) => engine.traffic.lanes(connectionId),
    'traffic:pause': ({ connectionId, operation }) => engine.traffic.pause(connectionId, operation),
    'traffic:resume': ({ connectionId, operation }) => engine.traffic.resume(connectionId, operation),
    'traffic:choose-priority': ({ connectionId, group, priority }) =>
      engine.traffic.choosePriority(connectionId, group, priority),
    'traffic:forget': ({ connectionId, operation }) => engine.traffic.forget(connectionId, operation),
    'traffic:get-log': async ({ connectionId, ...page }) => (await log(connectionId)).list(page),
    'traffic:get-request': async ({ connectionId, requestId }) =>
      (await log(connectionId)).request(requestId),
    'traffic:copy-curl': async ({ connectionId, requestId, shell }) =>
      (await log(connectionId)).curl(requestId, shell ?? null),
    'traffic:clear-log': async ({ connectionId }) => ({ cleared: (await log(connectionId)).clear() }),
    'traffic:save-har': async ({ connectionId, ...filter }) => {
      const { writeHar } = await log(connectionId);
      return saveAs({ engine, window }, 'requests.har', (path) => writeHar(path, filter));
    },
    'traffic:plan': ({ connectionId, requests, startAtMs }) =>
      engine.traffic.plan(connectionId, requests, startAtMs ?? null),
  };
}
