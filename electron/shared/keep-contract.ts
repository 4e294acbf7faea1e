/** The channel of what is kept to be read offline, beside those of all jobs; merged into contract.ts. */
import { z } from 'zod';
import type { KeepDrop, KeepSpace, KeepTest } from './keep-model.ts';

const connectionId = z.uuid();

export const keepContract = {
  'keep:act': z.discriminatedUnion('action', [
    /** Reads everything that is kept with the network cut. */
    z.strictObject({ action: z.literal('test'), connectionId }),
    z.strictObject({ action: z.literal('get-space'), connectionId }),
    /** What dropping it removes, and what other entries keep. */
    z.strictObject({ action: z.literal('plan-drop'), connectionId, keptId: z.string().min(1).max(100) }),
  ]),
} as const;

export interface KeepAnswers {
  test: KeepTest;
  'get-space': KeepSpace;
  'plan-drop': KeepDrop;
}
