/** Stored form of mirrors as jobs. */
import { type JobRecord, type JobShape, recordFields } from '../core/jobs/job-record.ts';
import type { KindStore } from '../db/job-store.ts';
import { EXPORT_STATES, type ExportState } from '../shared/export-model.ts';
import { type MirrorPlan, type MirrorResult, mirrorPlan, mirrorResult } from '../shared/mirror-model.ts';
import { type Repeat, repeat } from '../shared/repeat-model.ts';
import * as z from '../shared/zod.ts';

export interface StoredMirror extends JobRecord {
  plan: MirrorPlan;
  state: ExportState;
  /** Null until a folder is chosen. */
  folder: string | null;
  result: MirrorResult | null;
  repeat?: Repeat | null | undefined;
}

export type MirrorStore = KindStore<StoredMirror>;

export const mirrorShape: JobShape<StoredMirror> = {
  kind: 'mirror',
  what: 'mirror',
  schema: z.object({
    ...recordFields,
    plan: mirrorPlan,
    state: z.enum(EXPORT_STATES),
    folder: z.string().nullable(),
    result: mirrorResult.nullable(),
    repeat: repeat.nullish(),
  }),
  plan: ['plan'],
  title: ({ folder }) => folder?.split(/[\\/]/).findLast((name) => name !== '') ?? 'Mirror',
  subject: ({ folder }) => folder,
};
