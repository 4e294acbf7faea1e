/** The stored form of a job: the fields of every kind, and a description of those that one kind adds. Pure. */
import type { DamagedKind } from '../../shared/damaged-rows.ts';
import { ERROR_CODES, type WireError } from '../../shared/errors.ts';
import type { LateStart } from '../../shared/upload-model.ts';
import * as z from '../../shared/zod.ts';
import type { StartPlan } from './start-plan.ts';

/** Maximum distance of a date from 1970, in milliseconds. */
export const MAX_DATE_MS = 8_640_000_000_000_000;
/** A wall time in milliseconds within the range of dates. */
export const wallMs: z.ZodType<number> = z.number().min(-MAX_DATE_MS).max(MAX_DATE_MS);

const codes = Object.keys(ERROR_CODES);
export const wireError: z.ZodType<WireError> = z.object({
  code: z.custom<WireError['code']>((value) => typeof value === 'string' && codes.includes(value)),
  title: z.string(),
  message: z.string(),
  retry: z.enum(['now', 'later', 'never']),
  details: z.custom<WireError['details']>((value) => typeof value === 'object' && value !== null),
});
export const lateStart: z.ZodType<LateStart> = z.object({
  plannedAtMs: wallMs,
  startedAtMs: wallMs,
});

/** Stored fields that all jobs have. */
export interface JobRecord extends StartPlan {
  id: string;
  state: string;
  reason: string;
  error: WireError | null;
  createdAtMs: number;
  endedAtMs: number | null;
}

/** The fields that one kind adds, with their schema. */
export interface JobShape<T extends JobRecord> {
  kind: DamagedKind;
  /** The kind's name in messages, e.g. `score run`. */
  what: string;
  /** Schema of the complete job. */
  schema: z.ZodType<T>;
  /** Fields that are written once and never change. The kind's other fields are written with every change. */
  plan: readonly Exclude<keyof T & string, keyof JobRecord>[];
  title: (job: T) => string;
  subject?: (job: T) => string | null;
}

/** Schema of the fields of `JobRecord` except its state, for use in the schema of a kind. */
export const recordFields = {
  id: z.string(),
  reason: z.string(),
  error: wireError.nullable(),
  startAtMs: wallMs.nullable(),
  lateStart: lateStart.nullable(),
  createdAtMs: wallMs,
  endedAtMs: wallMs.nullable(),
};
