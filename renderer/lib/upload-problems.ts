/** Reasons why the plan of an upload cannot be checked yet: one sentence each, in the order of the form. Pure. */
import { boundProblems } from '../../electron/shared/plan-bounds.ts';
import type { ModelFacts } from '../../electron/shared/upload-columns.ts';
import type { ColumnPlan, ConstantColumn, UploadPlan } from '../../electron/shared/upload-model.ts';

/** The plan as the form describes it at present. */
interface OpenPlan {
  readonly preview: object | null;
  readonly model: object | null;
  readonly modelRecord: { readonly isWaiting: boolean } | null;
  readonly facts: ModelFacts | null;
  readonly envType: string;
  readonly envName: string;
  readonly mode: UploadPlan['mode'];
  readonly batchRows: number;
  readonly columns: ColumnPlan[];
  readonly constants: readonly ConstantColumn[];
}

export function planProblems(plan: OpenPlan): string[] {
  const problems: string[] = [];
  if (plan.model === null) problems.push('Choose a model.');
  // The schema is still loading, and can change fields and types.
  if (plan.modelRecord?.isWaiting === true) problems.push('Loading the schema of the model.');
  if (plan.envType.trim() === '') problems.push('Enter an environment type.');
  const { columns, envType, envName, batchRows } = plan;
  problems.push(...boundProblems({ columns, envType: envType.trim(), envName: envName.trim(), batchRows }));
  const targets = [...columns, ...plan.constants].flatMap(({ target }) => (target === null ? [] : [target]));
  if (plan.preview !== null && targets.length === 0) problems.push('Map at least one column to a field.');
  if (targets.some((target) => target.trim() === ''))
    problems.push('A column has no field name. Choose a field.');
  const twice = targets.filter((target, index) => targets.indexOf(target) !== index);
  for (const target of new Set(twice))
    problems.push(`Two columns use the field “${target}”. Use a field once.`);
  if (plan.mode === 'update') problems.push(...updateProblems(plan, targets));
  return problems;
}

/** Updates find their events by id, and are possible only in production. */
function updateProblems({ facts, envType }: OpenPlan, targets: readonly string[]): string[] {
  const problems: string[] = [];
  if (envType.trim().toUpperCase() !== 'PRODUCTION') {
    problems.push('Only events in a production environment can be updated.');
  }
  if (facts === null) return problems;
  if (facts.eventIdColumn === null) {
    problems.push('This model has no event id column, so its events cannot be updated.');
  } else if (!targets.includes(facts.eventIdColumn)) {
    problems.push(`Updates need the event id. Map a column to “${facts.eventIdColumn}”.`);
  }
  return problems;
}

/** Whether one of the options in the collapsed part of the form has a problem. */
export function hasOptionProblem(
  plan: Pick<OpenPlan, 'envType' | 'envName' | 'batchRows'> & { readonly mode: UploadPlan['mode'] },
): boolean {
  const { envType, envName, batchRows, mode } = plan;
  return (
    envType.trim() === '' ||
    boundProblems({ columns: [], envType: envType.trim(), envName: envName.trim(), batchRows }).length > 0 ||
    (mode === 'update' && envType.trim().toUpperCase() !== 'PRODUCTION')
  );
}
