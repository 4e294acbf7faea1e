import { askedAgain, type HandlerDeps, type HandlersOf } from './handler-deps.ts';

export function bulkHandlers({ engine }: HandlerDeps): HandlersOf<'bulk'> {
  const bulk = async (connectionId: string) => (await engine.session(connectionId)).bulk;
  /** For what sends at once: a token that was refused is tried once more. */
  const asking = async (connectionId: string) => (await askedAgain(engine, connectionId)).bulk;
  return {
    'bulk:create': async ({ connectionId, ...given }) => (await asking(connectionId)).create(given),
    'bulk:add': async ({ connectionId, bulkId, records }) =>
      (await asking(connectionId)).add(bulkId, records),
    'bulk:list': async ({ connectionId }) => (await bulk(connectionId)).list(),
    'bulk:list-items': async ({ connectionId, bulkId, states, offset, limit }) =>
      (await bulk(connectionId)).listItems(bulkId, states, offset, limit),
    'bulk:control': async ({ connectionId, bulkId, action, startAtMs }) =>
      (await asking(connectionId)).control(bulkId, action, startAtMs),
    'bulk:forget': async ({ connectionId, bulkId }) => {
      (await bulk(connectionId)).forget(bulkId);
      return null;
    },
  };
}
