/** Access of agents and the log of their reads, for the window and the command line. */
import type { Clock } from '../core/ports.ts';
import type { DataPaths } from '../platform/paths.ts';
import type { AgentsState } from '../shared/agents-model.ts';
import type { Connection } from '../shared/model.ts';
import { type AgentAccess, createAgentAccess } from './agent-access.ts';
import { type AgentLog, createAgentLog } from './agent-log.ts';

export interface Agents {
  access: AgentAccess;
  log: AgentLog;
  /** The open connections, and at most this many of the newest reads. Throws STORE_DAMAGED. */
  state(mostReads: number): AgentsState;
  open(connectionId: string): void;
  /** Closes the connection to agents, and removes its lines from the log. */
  forget(connectionId: string): void;
}

export function createAgents(
  paths: Pick<DataPaths, 'agentsDir' | 'agentsLog'>,
  clock: Pick<Clock, 'nowMs'>,
  connections: () => readonly Connection[],
): Agents {
  const access = createAgentAccess(paths.agentsDir);
  const log = createAgentLog(paths.agentsLog);
  const nameOf = (wanted: string) => connections().find(({ id }) => id === wanted)?.name ?? wanted;
  return {
    access,
    log,
    state: (mostReads) => ({
      open: access.list().map((each) => ({ ...each, name: nameOf(each.connectionId) })),
      ...log.newest(mostReads),
    }),
    open: (connectionId) => access.open(connectionId, clock.nowMs()),
    forget: (connectionId) => {
      access.close(connectionId);
      log.forget(connectionId);
    },
  };
}
