/** Parsers shared by the schemas of stored rows. */
import { wallMs } from '../core/jobs/job-record.ts';
import { AppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import * as z from '../shared/zod.ts';

/** A scheduled job and its wall time. */
export interface PlannedStart {
  id: string;
  startAtMs: number;
}
export const plannedRow: z.ZodType<PlannedStart> = z.object({ id: z.string(), startAtMs: wallMs });

/** Parses a column of JSON text. Its numbers are exact; pass `parse` for numbers that were written from doubles. */
export function json<T>(schema: z.ZodType<T>, parse: (text: string) => unknown = parseExact): z.ZodType<T> {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'is not JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);
}

/** Also reads values of earlier versions, in which a field had another name. */
export function withFormerName<T>(schema: z.ZodType<T>, former: string, current: string): z.ZodType<T> {
  return z.preprocess((stored) => {
    if (typeof stored !== 'object' || stored === null || !(former in stored)) return stored;
    const { [former]: value, ...others } = stored as Readonly<Record<string, unknown>>;
    return { [current]: value, ...others };
  }, schema);
}

/**
 * Throws INVALID_ARGUMENT, before anything is written, for a value that the schema for reading would reject, because an
 * unreadable row would be lost.
 */
export function checkStorable(schema: z.ZodType, value: unknown, what: string): void {
  const parsed = schema.safeParse(value);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join('.') ?? '';
  throw new AppError(
    'INVALID_ARGUMENT',
    `This ${what} cannot be stored: ${place === '' ? '' : `${place}: `}${issue?.message ?? 'not the expected form'}. Nothing was written or sent.`,
  );
}

/** JSON text of a value checked by `checkStorable`. */
export function asChecked<T>(schema: z.ZodType<T>, value: T, what: string): string {
  checkStorable(schema, value, what);
  return JSON.stringify(value);
}

/** JSON text of a value; null stays null. */
export function asJson(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
