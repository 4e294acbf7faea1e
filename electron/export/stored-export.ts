/** Exports of lists, as jobs. */
import { type JobRecord, type JobShape, recordFields, wallMs } from '../core/jobs/job-record.ts';
import type { KindStore } from '../db/job-store.ts';
import { EXPORT_STATES, type ExportPlan, type ExportState, exportPlan } from '../shared/export-model.ts';
import { type Repeat, repeat } from '../shared/repeat-model.ts';
import * as z from '../shared/zod.ts';

export interface StoredExport extends JobRecord {
  plan: ExportPlan;
  state: ExportState;
  /** Null until one is chosen. */
  file: string | null;
  /** Data read before this time is read again. */
  notBeforeMs: number;
  /** The generation that was started for it. */
  generationId: number | null;
  /** All pages were read and are not requested again. */
  isRead: boolean;
  rows: number;
  totalRows: number | null;
  sizeBytes: number | null;
  /** Rows of the list missing in the finished file; null if their number is unknown, absent if none is missing. */
  missingRows?: number | null | undefined;
  repeat?: Repeat | null | undefined;
  /** Wall time at which the time range of the plan ended about then; null if it stays as it is. Absent: not known yet. */
  rangeAtMs?: number | null | undefined;
  /** The time by which this run reads a later range than the plan. */
  rangeMovedMs?: number | undefined;
}

export type ExportStore = KindStore<StoredExport>;

export const exportShape: JobShape<StoredExport> = {
  kind: 'export',
  what: 'export',
  schema: z.object({
    ...recordFields,
    plan: exportPlan,
    state: z.enum(EXPORT_STATES),
    file: z.string().nullable(),
    notBeforeMs: wallMs,
    generationId: z.int().nullable(),
    isRead: z.boolean(),
    rows: z.int(),
    totalRows: z.int().nullable(),
    sizeBytes: z.int().nullable(),
    missingRows: z.int().nullable().optional(),
    repeat: repeat.nullish(),
    rangeAtMs: wallMs.nullish(),
    rangeMovedMs: z.int().optional(),
  }),
  plan: ['plan'],
  title: ({ plan }) => plan.name,
  subject: ({ file }) => file,
};
