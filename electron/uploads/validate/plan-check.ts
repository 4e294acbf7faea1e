/** Does a plan make sense before any row is read? */
import { AppError } from '../../shared/errors.ts';
import { boundProblems } from '../../shared/plan-bounds.ts';
import type { UploadPlan } from '../../shared/upload-model.ts';
import { checkDialect } from '../readers/open-source.ts';

/** Throws INVALID_ARGUMENT with what is expected. */
export function checkPlan(plan: UploadPlan): void {
  const [bound] = boundProblems(plan);
  if (bound !== undefined) throw new AppError('INVALID_ARGUMENT', bound);
  checkDialect(plan.dialect);
  const mapped = plan.columns.flatMap(({ target }) => (target === null ? [] : [target]));
  const targets = [...mapped, ...(plan.constants ?? []).map(({ target }) => target)];
  if (mapped.length === 0) {
    throw new AppError(
      'INVALID_ARGUMENT',
      'Expected at least one column mapped to an event field, got none. Map one.',
    );
  }
  const twice = targets.find((target, index) => targets.indexOf(target) !== index);
  if (twice !== undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Two columns use the field “${twice}”. Each field takes one: unmap the other.`,
    );
  }
  if (targets.includes(''))
    throw new AppError(
      'INVALID_ARGUMENT',
      'A column has no field name. Name the field, or unmap the column.',
    );
  if (plan.mode === 'update' && plan.envType.toUpperCase() !== 'PRODUCTION') {
    throw new AppError(
      'INVALID_ARGUMENT',
      'Only events of a production environment can be updated. Choose PRODUCTION, or publish.',
    );
  }
}
