/** Stored form of exports as jobs. */
import { type JobRecord, type JobShape, recordFields, wallMs } from '../core/jobs/job-record.ts';
import type { KindStore } from '../db/job-store.ts';
import { EXPORT_STATES, type ExportPlan, type ExportState, exportPlan } from '../shared/export-model.ts';
import { type Repeat, repeat } from '../shared/repeat-model.ts';
import * as z from '../shared/zod.ts';

export interface StoredExport extends JobRecord {
  plan: ExportPlan;
  state: ExportState;
  /** Null until a file is chosen. */
  file: string | null;
  /** Data read before this time is read again. */
  notBeforeMs: number;
  /** The generation of the list that was started for this export. */
  generationId: number | null;
  /** True if all pages were read and need not be requested again. */
  isRead: boolean;
  rows: number;
  totalRows: number | null;
  sizeBytes: number | null;
  /** Number of rows of the list that are missing in the finished file; null if unknown, absent if none is missing. */
  missingRows?: number | null | undefined;
  repeat?: Repeat | null | undefined;
  /**
   * Wall time at which the plan's time range ended; each run moves the range by the time since then. Null if the range
   * stays as it is, absent if not decided yet.
   */
  rangeAtMs?: number | null | undefined;
  /** Time by which this run's range is later than that of the plan. */
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
