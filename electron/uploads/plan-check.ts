/** Does a plan make sense before any row is read? */
import { AppError } from '../shared/errors.ts';
import { boundProblems } from '../shared/plan-bounds.ts';
import type { UploadPlan } from '../shared/upload-model.ts';
import { checkDialect } from './open-source.ts';

/** Throws INVALID_ARGUMENT with what is expected. */
export function checkPlan(plan: UploadPlan): void {
  const [bound] = boundProblems(plan);
  if (bound !== undefined) throw new AppError('INVALID_ARGUMENT', bound);
  checkDialect(plan.dialect);
  const targets = plan.columns.flatMap(({ target }) => (target === null ? [] : [target]));
  if (targets.length === 0) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'Expected at least one column that goes to a field of the event; all are left out.',
    );
  }
  const twice = targets.find((target, index) => targets.indexOf(target) !== index);
  if (twice !== undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Two columns go to the field “${twice}”. Each field takes one; leave the other out.`,
    );
  }
  if (targets.includes(''))
    throw new AppError(
      'INVALID_ARGUMENT',
      'A column goes to a field without a name. Name it or leave it out.',
    );
  if (plan.mode === 'update' && plan.envType.toUpperCase() !== 'PRODUCTION') {
    throw new AppError(
      'INVALID_ARGUMENT',
      'Only events of a production environment can be updated. Choose PRODUCTION, or publish.',
    );
  }
}
