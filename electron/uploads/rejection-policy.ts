/** Determines how many rows may be refused before an upload is paused. */
import { counted } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import { mostBadRows, policyText } from '../shared/row-policy.ts';
import type { UploadLedger } from './upload-ledger.ts';

/** True if more rows were refused, here and by the service, than the policy allows. */
export function isPastPolicy({ core, job }: UploadLedger): boolean {
  const { refused } = core.tallies;
  if (refused.rows === 0 || job.isPolicyLifted === true) return false;
  return core.rejected + refused.rows > mostBadRows(job.plan.onBadRow, core.rows ?? 0);
}

/** The reason why an upload that exceeds its policy is paused. */
export function policyError({ core, job }: UploadLedger, { code, message, details }: AppError): AppError {
  const refused = counted(core.tallies.refused.rows, 'row');
  return new AppError(
    code,
    `The service refused ${refused}, and this upload ${policyText(job.plan.onBadRow)}. ${message}`,
    { ...details, nextStep: 'Resume it to leave refused rows out, or cancel it.' },
  );
}
