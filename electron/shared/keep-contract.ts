/** The channel of data kept for offline use that is not common to all jobs; merged into contract.ts. */
import type { KeepDrop, KeepSpace, KeepSync, KeepTest } from './keep-model.ts';
import * as z from './zod.ts';

const connectionId = z.uuid();

export const keepContract = {
  'keep:act': z.discriminatedUnion('action', [
    /** Reads all kept data with the network cut. */
    z.strictObject({ action: z.literal('test'), connectionId }),
    z.strictObject({ action: z.literal('get-space'), connectionId }),
    /** Local data that would be deleted, and data that stays because other entries need it. */
    z.strictObject({ action: z.literal('plan-drop'), connectionId, keptId: z.string().min(1).max(100) }),
    /** How long the next reading takes, or the rest of the present one. */
    z.strictObject({ action: z.literal('plan-sync'), connectionId, keptId: z.string().min(1).max(100) }),
  ]),
} as const;

export interface KeepAnswers {
  test: KeepTest;
  'get-space': KeepSpace;
  'plan-drop': KeepDrop;
  'plan-sync': KeepSync;
}
