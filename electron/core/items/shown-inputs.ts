/** Chooses the texts that represent an item of a score run. Pure. */
import type { ScoreInput } from '../../shared/score-model.ts';

interface ShownInput {
  /** Name of the evaluator's input. */
  input: string;
  /** The field of the item that the input comes from, e.g. `inputs.question`. */
  path: string;
}

/**
 * The input that describes an item, and the input that is judged; null if no other field is used. Texts from the plan
 * itself are skipped.
 */
export function shownInputs(inputs: readonly ScoreInput[]): {
  about: ShownInput | null;
  judged: ShownInput | null;
} {
  const fields = inputs.flatMap(({ input, from }) =>
    from.kind === 'field'
      ? [{ input, path: `${from.bucket}.${from.field}`, isInput: from.bucket === 'inputs' }]
      : [],
  );
  const about = fields.find(({ isInput }) => isInput) ?? fields[0] ?? null;
  const judged = fields.findLast(({ isInput }) => !isInput) ?? null;
  return { about, judged: judged === about ? null : judged };
}
