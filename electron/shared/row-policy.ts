/** How many rows may be rejected, by Spandeck or by the service, before an upload stops. */
import { counted } from './count-text.ts';
import * as z from './zod.ts';

const AFTER = /^after=(\d{1,9})(%?)$/;

/** `stop`, `skip`, `after=N` (more than N rows) or `after=N%` (more than N percent of the rows of the file). */
export const rowPolicy = z
  .string()
  .max(20)
  .refine(isRowPolicy, { error: 'expected stop, skip, after=N or after=N%' });
export type RowPolicy = z.infer<typeof rowPolicy>;

export function isRowPolicy(text: string): boolean {
  if (text === 'stop' || text === 'skip') return true;
  const [, digits, percent] = AFTER.exec(text) ?? [];
  return digits !== undefined && (percent === '' || Number(digits) <= 100);
}

/** The number in `after=N` and `after=N%`, as typed; null for `stop` and `skip`. */
export function policyNumber(policy: RowPolicy): { count: number; isPercent: boolean } | null {
  const [, digits, percent] = AFTER.exec(policy) ?? [];
  return digits === undefined ? null : { count: Number(digits), isPercent: percent === '%' };
}

/** Maximum bad rows among `rows`; one more bad row stops the upload. */
export function mostBadRows(policy: RowPolicy, rows: number): number {
  if (policy === 'skip') return Number.POSITIVE_INFINITY;
  const after = policyNumber(policy);
  if (after === null) return 0;
  return after.isPercent ? Math.floor((rows * after.count) / 100) : after.count;
}

/** The upload's behaviour for use in a sentence, e.g. `stops at the first bad row`, `stops after 10 bad rows`. */
export function policyText(policy: RowPolicy): string {
  if (policy === 'skip') return 'skips bad rows';
  const after = policyNumber(policy);
  if (after === null) return 'stops at bad rows';
  if (after.isPercent) return `stops when more than ${after.count} % of the rows are bad`;
  return `stops after ${counted(after.count, 'bad row')}`;
}
