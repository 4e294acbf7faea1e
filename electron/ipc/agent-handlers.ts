import { byAction, type HandlerDeps, type HandlersOf } from './handler-deps.ts';

/** Maximum reads that the window shows. */
const SHOWN_READS = 100;

export function agentHandlers({ engine: { agents, connections } }: HandlerDeps): HandlersOf<'agents'> {
  return {
    'agents:act': byAction<'agents:act'>({
      get: () => agents.state(SHOWN_READS),
      open: ({ connectionId }) => {
        // Throws for an unknown connection.
        agents.open(connections.get(connectionId).id);
        return agents.state(SHOWN_READS);
      },
      close: ({ connectionId }) => {
        agents.access.close(connectionId);
        return agents.state(SHOWN_READS);
      },
    }),
  };
}
