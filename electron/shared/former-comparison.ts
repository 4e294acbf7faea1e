/**
 * Converts stored comparisons of earlier versions, which compared two score runs, to the present form, so that waiting
 * or repeating exports and saved views keep their items.
 */
import { type ChosenItems, NO_FILTER, type RunFilter } from './run-comparison.ts';
import { SCORE_CHANGES } from './score-comparison.ts';
import { SCORE_ITEM_STATES } from './score-model.ts';
import * as z from './zod.ts';

const runId = z.uuid();
const show = z.enum([...SCORE_CHANGES, ...SCORE_ITEM_STATES]).nullable();
const only = z
  .discriminatedUnion('by', [
    z.strictObject({ by: z.literal('labels'), before: z.string().nullable(), after: z.string() }),
    z.strictObject({ by: z.literal('range'), from: z.number(), to: z.number(), isLast: z.boolean() }),
    z.strictObject({ by: z.literal('failure kind'), name: z.string(), change: z.enum(SCORE_CHANGES) }),
  ])
  .nullable()
  .default(null);

const former = z.strictObject({
  form: z.literal('comparison'),
  before: runId.nullable(),
  after: runId,
  name: z.string().max(500).nullable(),
  lowerIsBetter: z.boolean(),
  ...{ show, only },
});
type Former = z.infer<typeof former>;

export const formerComparison = former.transform(
  ({ before, after, name, lowerIsBetter, ...rows }): ChosenItems & { form: 'runs' } => ({
    form: 'runs',
    runs: [before, after].flatMap((id) => (id === null ? [] : [{ kind: 'scores' as const, id }])),
    ...{ baseline: 0, score: name, lowerIsBetter, filter: filterOf(rows) },
  }),
);

const formerChoice = z.strictObject({ show, only });

/** The filter of a choice of items as tabs stored it; null for any other value. */
export function formerFilter(choice: { show: unknown; only: unknown }): RunFilter | null {
  const { data } = formerChoice.safeParse(choice);
  return data === undefined ? null : filterOf(data);
}

function filterOf({ show: shown, only: chosen }: Pick<Former, 'show' | 'only'>): RunFilter {
  const change = SCORE_CHANGES.find((each) => each === shown) ?? null;
  const state = SCORE_ITEM_STATES.find((each) => each === shown) ?? null;
  const filter = { ...NO_FILTER, change, fate: state === 'scored' ? ('good' as const) : state };
  if (chosen === null) return filter;
  switch (chosen.by) {
    case 'labels':
      return { ...filter, label: chosen.after, labelBefore: chosen.before };
    case 'range':
      return { ...filter, bin: { from: chosen.from, to: chosen.to, isLast: chosen.isLast } };
    case 'failure kind':
      return { ...filter, kind: chosen.name, change: chosen.change };
  }
}
