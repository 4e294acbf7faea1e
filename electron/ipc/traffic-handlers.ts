import type { HandlerDeps, HandlersOf } from './handler-deps.ts';
import { saveAs } from './save-dialog.ts';

export function trafficHandlers({ engine, window }: HandlerDeps): HandlersOf<'traffic'> {
  const log = async (connectionId: string) => (await engine.session(connectionId)).requestLog;
  return {
    'traffic:get-lanes': ({ connectionId }) => engine.traffic.lanes(connectionId),
    'traffic:control': async (asked) => {
      const { connectionId } = asked;
      const { traffic } = engine;
      switch (asked.action) {
        case 'pause':
          return traffic.pause(connectionId, asked.operation);
        case 'resume':
          return traffic.resume(connectionId, asked.operation);
        case 'order-uploads':
          return traffic.orderUploads(connectionId, asked.jobIds);
        case 'choose-priority':
          return traffic.choosePriority(connectionId, asked.group, asked.priority);
        case 'forget-limits':
          return traffic.forget(connectionId, asked.operation);
        case 'clear-log':
          (await log(connectionId)).clear();
          return traffic.lanes(connectionId);
      }
    },
    'traffic:get-log': async ({ connectionId, ...page }) => (await log(connectionId)).list(page),
    'traffic:get-request': async ({ connectionId, requestId }) =>
      (await log(connectionId)).request(requestId),
    'traffic:copy-curl': async ({ connectionId, requestId, shell }) =>
      (await log(connectionId)).curl(requestId, shell ?? null),
    'traffic:save-har': async ({ connectionId, ...filter }) => {
      const { writeHar } = await log(connectionId);
      return saveAs({ engine, window }, 'requests.har', (path) => writeHar(path, filter));
    },
    'traffic:plan': ({ connectionId, requests, startAtMs }) =>
      engine.traffic.plan(connectionId, requests, startAtMs ?? null),
  };
}
