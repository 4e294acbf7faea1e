/** Finds the job that an answer names. */
import * as z from '../shared/zod.ts';

const text = z.string().min(1);
/**
 * Only the name of ApplicationDeletionJob is published (SERVICE.md S2.10), so the job may be a field of the record or
 * the record itself.
 */
const shapes = [
  z.looseObject({ job: z.looseObject({ id: text, name: z.string().nullish() }) }).transform(({ job }) => job),
  z.looseObject({ job_id: text, job_name: z.string().nullish() }).transform((record) => ({
    id: record.job_id,
    name: record.job_name,
  })),
  z.looseObject({ job: text }).transform(({ job }) => ({ id: job, name: null })),
  z.looseObject({ id: text, name: z.string().nullish() }),
];

/** Id and name of the job in an answer; null if there is none. */
export function jobOf(record: Readonly<Record<string, unknown>> | null): { id: string; name: string } | null {
  for (const shape of shapes) {
    const found = shape.safeParse(record);
    if (found.success) return { id: found.data.id, name: found.data.name ?? found.data.id };
  }
  return null;
}
