/** Names of score runs: what was scored by which evaluator. Pure. */
import type { ScorePlan } from './score-model.ts';

type NamedBy = Pick<ScorePlan, 'evaluator' | 'inputs'>;

/** Inputs under which evaluators take the text that they judge; the others are what it is judged by. */
const JUDGED = new Set(['response', 'answer', 'output', 'completion', 'prediction', 'text']);
const MAX_CHARACTERS = 200;

/** `answer_relevance · model_answer`: the evaluator and the fields it judges, for a run without a name of its own. */
export function usualRunName({ evaluator, inputs }: NamedBy): string {
  const judged = inputs.filter(({ input }) => JUDGED.has(input.toLowerCase()));
  const fields = (judged.length > 0 ? judged : inputs).flatMap(({ from }) =>
    from.kind === 'field' ? [from.field] : [],
  );
  return [evaluator, ...(fields.length === 0 ? [] : [fields.join(', ')])]
    .join(' · ')
    .slice(0, MAX_CHARACTERS);
}

/** The name as it is, or with the first number that makes it differ from those taken: `answers (2)`. */
export function freeRunName(name: string, taken: readonly string[]): string {
  const names = new Set(taken);
  for (let number = 1; ; number += 1) {
    const tail = number === 1 ? '' : ` (${number})`;
    const free = `${name.slice(0, MAX_CHARACTERS - tail.length)}${tail}`;
    if (!names.has(free)) return free;
  }
}

/** The name a run has, also where it was begun before runs had names. */
export function runName(plan: NamedBy & { name?: string | undefined }): string {
  return plan.name ?? usualRunName(plan);
}
