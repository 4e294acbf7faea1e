/** What is stored of one kind of work and cannot be read: named as far as it can be, so that it can be removed. */
import { z } from 'zod';

const DAMAGED_KINDS = ['upload', 'deletion', 'file', 'bulk', 'build', 'score'] as const;
export type DamagedKind = (typeof DAMAGED_KINDS)[number];

export interface DamagedRow {
  kind: DamagedKind;
  id: string;
  /** Name of the file, the build or what else it was about; empty where that cannot be read either. */
  title: string;
  atMs: number | null;
  /** Which part of it does not have the expected form. */
  reason: string;
}

const connectionId = z.uuid();

export const damagedContract = {
  'damaged:list': z.strictObject({ connectionId }),
  /** Only what cannot be read: everything else is removed where it is shown. */
  'damaged:remove': z.strictObject({
    connectionId,
    kind: z.enum(DAMAGED_KINDS),
    id: z.string().min(1).max(200),
  }),
} as const;

export interface DamagedResults {
  'damaged:list': DamagedRow[];
  'damaged:remove': null;
}
