/** Channels of what is kept to be read offline, beside those of all jobs; merged into contract.ts. */
import { z } from 'zod';
import {
  type KeepDrop,
  type KeepEstimate,
  type KeepSpace,
  type KeepTest,
  type Kept,
  keepPlan,
  refreshHours,
} from './keep-model.ts';

const connectionId = z.uuid();
const keptId = z.string().min(1).max(100);

export const keepContract = {
  /** Requests and bytes, before it is kept. It may read a first page of each list. */
  'keep:estimate': z.strictObject({ connectionId, plan: keepPlan }),
  /** Hours between two readings by itself; 0: at each start; null: by hand. */
  'keep:set-refresh': z.strictObject({ connectionId, keptId, refreshHours }),
  /** Reads everything that is kept with the network cut. */
  'keep:test': z.strictObject({ connectionId }),
  'keep:get-space': z.strictObject({ connectionId }),
  /** What dropping it removes, and what other entries keep. */
  'keep:plan-drop': z.strictObject({ connectionId, keptId }),
} as const;

export interface KeepResults {
  'keep:estimate': KeepEstimate;
  'keep:set-refresh': Kept;
  'keep:test': KeepTest;
  'keep:get-space': KeepSpace;
  'keep:plan-drop': KeepDrop;
}
