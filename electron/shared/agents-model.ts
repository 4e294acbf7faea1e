/** Connections that agents on this computer may read (`spandeck mcp`), and the log of their calls. */
import * as z from './zod.ts';

export const agentRead = z.object({
  atMs: z.number(),
  /** Null if no connection was open to agents, or if the call left open which of several it meant. */
  connectionId: z.string().nullable(),
  /** Name that the client gives itself. */
  agent: z.string(),
  tool: z.string(),
  /** Arguments of the call as JSON. */
  question: z.string(),
  /** Size of the answer. */
  bytes: z.number(),
  /** Code of the error; null if the call was answered. */
  error: z.string().nullable(),
});
export type AgentRead = z.infer<typeof agentRead>;

interface OpenToAgents {
  connectionId: string;
  /** Name of the connection, or its id if it was removed. */
  name: string;
  openedAtMs: number;
}

export interface AgentsState {
  /** Oldest first. */
  open: OpenToAgents[];
  /** Newest first. */
  reads: AgentRead[];
  /** Lines of the log that cannot be read. */
  unreadable: number;
}

const connectionId = z.string().min(1).max(100);

export const agentsContract = {
  'agents:act': z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('get') }),
    /**
     * Lets agents read the stored data of a connection from their next call on; `close` takes effect on their next call
     * too.
     */
    z.strictObject({ action: z.literal('open'), connectionId }),
    z.strictObject({ action: z.literal('close'), connectionId }),
  ]),
} as const;

export interface AgentsAnswers {
  get: AgentsState;
  open: AgentsState;
  close: AgentsState;
}
