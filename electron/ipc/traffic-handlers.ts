import { AppError } from '../shared/errors.ts';
import type { HandlerDeps, HandlersOf } from './handlers.ts';

const notBuilt = () => {
  throw new AppError('INTERNAL', 'This is being built.');
};

export function trafficHandlers({ engine }: HandlerDeps): HandlersOf<'traffic'> {
  const log = async (connectionId: string) => (await engine.session(connectionId)).requestLog;
  return {
    'traffic:get-lanes': ({ connectionId }) => engine.traffic.lanes(connectionId),
    'traffic:pause': ({ connectionId, operation }) => engine.traffic.pause(connectionId, operation),
    'traffic:resume': ({ connectionId, operation }) => engine.traffic.resume(connectionId, operation),
    'traffic:get-log': async ({ connectionId, ...page }) => (await log(connectionId)).list(page),
    'traffic:get-request': async ({ connectionId, requestId }) => {
      const request = (await log(connectionId)).get(requestId);
      if (request !== null) return request;
      throw new AppError(
        'NOT_FOUND',
        'This request is no longer in the log: only the newest are kept. Choose another.',
      );
    },
    'traffic:copy-curl': notBuilt,
    'traffic:save-har': notBuilt,
    'traffic:plan': ({ connectionId, requests, startAtMs }) =>
      engine.traffic.plan(connectionId, requests, startAtMs ?? null),
  };
}
