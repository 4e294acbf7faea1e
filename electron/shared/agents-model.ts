/** Reads of agents on this computer (`spandeck mcp`): which connections are open to them, and the log. */
import * as z from './zod.ts';

export const agentRead = z.object({
  atMs: z.number(),
  /** Null if no connection was open or chosen. */
  connectionId: z.string().nullable(),
  /** The client's own name for itself. */
  agent: z.string(),
  tool: z.string(),
  /** Arguments of the call as JSON. */
  question: z.string(),
  /** Size of the answer. */
  bytes: z.number(),
  /** Code of the error; null if it was answered. */
  error: z.string().nullable(),
});
export type AgentRead = z.infer<typeof agentRead>;

interface OpenToAgents {
  connectionId: string;
  /** Its name, or its id if it was removed. */
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
    /** From now on, agents may read its stored data; closing takes effect on their next call. */
    z.strictObject({ action: z.literal('open'), connectionId }),
    z.strictObject({ action: z.literal('close'), connectionId }),
  ]),
} as const;

export interface AgentsAnswers {
  get: AgentsState;
  open: AgentsState;
  close: AgentsState;
}
