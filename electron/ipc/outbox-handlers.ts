import { askedAgain, type HandlerDeps, type HandlersOf } from './handler-deps.ts';

export function outboxHandlers({ engine }: HandlerDeps): HandlersOf<'outbox'> {
  return {
    'outbox:send-all': async ({ connectionId }) => ({
      count: (await askedAgain(engine, connectionId)).outbox.sendAll(),
    }),
  };
}
