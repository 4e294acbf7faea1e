/** Checks a plan before any row is read. */

import { counted } from '../../shared/count-text.ts';
import { cutText } from '../../shared/cut-text.ts';
import { AppError } from '../../shared/errors.ts';
import { boundProblems } from '../../shared/plan-bounds.ts';
import type { ModelFacts } from '../../shared/upload-columns.ts';
import type { UploadPlan } from '../../shared/upload-model.ts';
import { checkDialect } from '../readers/open-source.ts';
import { RowValidator } from './validate.ts';

/** Maximum number of columns that an error names. */
const MAX_NAMED = 5;
const MAX_NAME = 40;

function namesText({ columns }: UploadPlan): string {
  const shown = columns.slice(0, MAX_NAMED).map(({ source }) => `“${cutText(source, MAX_NAME)}”`);
  const rest = columns.length - shown.length;
  return [...shown, ...(rest > 0 ? [counted(rest, 'more column')] : [])].join(', ') || 'its columns';
}

function otherReading({ dialect: { format, hasHeader, sheet = null } }: UploadPlan): string {
  if (sheet !== null) return `, or choose another sheet or list than “${cutText(sheet, MAX_NAME)}”`;
  if (format !== 'csv') return '';
  return hasHeader
    ? ', or check the delimiter and the line of the header'
    : ', or write the names of the columns in a line above the rows, because the file has no header';
}

/** Throws INVALID_ARGUMENT with the expected plan. */
export function checkPlan(plan: UploadPlan): void {
  const [bound] = boundProblems(plan);
  if (bound !== undefined) throw new AppError('INVALID_ARGUMENT', bound);
  checkDialect(plan.dialect);
  const mapped = plan.columns.flatMap(({ target }) => (target === null ? [] : [target]));
  const targets = [...mapped, ...(plan.constants ?? []).map(({ target }) => target)];
  if (mapped.length === 0) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected at least one column mapped to an event field, got none of ${namesText(plan)}. Map one${otherReading(plan)}.`,
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

/**
 * The reason why a text cannot be sent in this column of a plan, as a sentence; null if it can. `text`: null for no
 * value.
 */
export function replacementProblem(
  plan: UploadPlan,
  model: ModelFacts | null,
  { source, text }: { source: string; text: string | null },
): string | null {
  return firstProblem(plan, model, [{ source, with: text }]);
}

/** Throws INVALID_ARGUMENT for the first replacement or cell edit that cannot be sent. */
export function checkReplacements(plan: UploadPlan, model: ModelFacts | null): void {
  const edited = [...(plan.replacements ?? []), ...(plan.cellEdits?.cells ?? [])];
  const problem = edited.length === 0 ? null : firstProblem(plan, model, edited);
  if (problem !== null) throw new AppError('INVALID_ARGUMENT', problem);
}

/** Ignores columns that are not sent, because they have no problems. */
function firstProblem(
  plan: UploadPlan,
  model: ModelFacts | null,
  texts: readonly { source: string; with: string | null }[],
): string | null {
  const { cellEdits: _cells, ...others } = plan;
  const sources = new Set(texts.map(({ source }) => source));
  const columns = plan.columns.filter(({ source }) => sources.has(source));
  // Gives each replacement its own key, because several cells may be edited.
  const replacements = texts.map((each, at) => ({ source: each.source, value: String(at), with: each.with }));
  return new RowValidator({ ...others, columns, replacements }, null, model).replacementProblem;
}
