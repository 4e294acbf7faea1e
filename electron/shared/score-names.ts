/** Names of score runs: the scored fields and the evaluator. Pure. */
import { cutText } from './cut-text.ts';
import type { ScorePlan } from './score-model.ts';

type NamedBy = Pick<ScorePlan, 'evaluator' | 'inputs'> & { experiment?: ScorePlan['experiment'] };

/** Inputs of evaluators for the judged text; other inputs are criteria. */
const JUDGED = new Set(['response', 'answer', 'output', 'completion', 'prediction', 'text']);
const MAX_CHARACTERS = 200;

/**
 * Name of a run without its own name, e.g. `answer_relevance · model_answer`: the evaluator, the fields that it judges,
 * and the experiment.
 */
export function usualRunName({ evaluator, inputs, experiment }: NamedBy): string {
  const judged = inputs.filter(({ input }) => JUDGED.has(input.toLowerCase()));
  const fields = (judged.length > 0 ? judged : inputs).flatMap(({ from }) =>
    from.kind === 'field' ? [from.field] : [],
  );
  const named = [evaluator, ...(fields.length === 0 ? [] : [fields.join(', ')])];
  const name = [...named, ...(experiment === undefined ? [] : [experiment.name])].join(' · ');
  return cutText(name, MAX_CHARACTERS);
}

/** The name unchanged if it is free, otherwise with the first number that makes it unique, e.g. `answers (2)`. */
export function freeRunName(name: string, taken: readonly string[]): string {
  const names = new Set(taken);
  for (let number = 1; ; number += 1) {
    const tail = number === 1 ? '' : ` (${number})`;
    const free = `${cutText(name, MAX_CHARACTERS - tail.length)}${tail}`;
    if (!names.has(free)) return free;
  }
}

/** The name of a run. Runs started before runs had names get the usual one. */
export function runName(plan: NamedBy & { name?: string | undefined }): string {
  return plan.name ?? usualRunName(plan);
}
