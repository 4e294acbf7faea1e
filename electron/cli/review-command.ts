/**
 * `review`: lists the decisions on the selected spans of a build; `review export` writes them to a file. Sends nothing.
 */
import { resolve } from 'node:path';
import { REVIEW_FORMATS } from '../datasets/review-file.ts';
import type { Builds } from '../datasets/types.ts';
import { systemClock } from '../platform/system.ts';
import type { DatasetBuild } from '../shared/dataset-model.ts';
import { AppError } from '../shared/errors.ts';
import { countReview, damagedDecisions, type Review } from '../shared/review-fold.ts';
import { VERDICTS } from '../shared/review-model.ts';
import { byIdOrOnly, chosenAction } from './choose.ts';
import type { CommandContext } from './context.ts';
import { counted, nameList } from './human-text.ts';
import { table } from './output.ts';
import { fileFormat } from './row-files.ts';

const ACTIONS = {
  export: ['output', 'verdict', 'failure-kind', 'exact'],
  'take-skipped': [],
  'leave-skipped': [],
};
export async function review(context: CommandContext): Promise<void> {
  const [, id] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  const { builds } = (await context.session()).datasets;
  const all = builds.list().filter(({ buildId }) => builds.readReview(buildId, 0).total > 0);
  if (action === undefined) return await list(context, builds, all);
  const choice = { all, idOf: ({ buildId }: DatasetBuild) => buildId, what: 'review' };
  const build = byIdOrOnly(context, [action, id], { ...choice, fits: all });
  if (action === 'export') return exportReview(context, builds, build);
  await takeSkipped(context, builds, build, action === 'take-skipped');
}

async function list({ output }: CommandContext, builds: Builds, all: readonly DatasetBuild[]): Promise<void> {
  const items = await Promise.all(
    all.map(async ({ buildId, name, counts }) => {
      const own = await builds.review(buildId);
      const { byKind, ...sums } = countReview(own);
      const { takesSkipped, damaged } = own;
      if (damaged.length > 0)
        output.note(`${name}: ${damagedDecisions(damaged)} The others are not affected.`);
      return { id: buildId, name, spans: counts.picked, ...sums, takesSkipped, kinds: byKind.size };
    }),
  );
  output.answer({ items, total: items.length, complete: true, asOf: null }, () =>
    items.length === 0
      ? 'No review yet. Select spans in the window and review them there.'
      : table(items, ['id', 'name', 'spans', ...VERDICTS, 'notes', 'kinds']),
  );
}

/** Includes skipped spans in the dataset, or leaves them out again; spans that were sent do not change. */
async function takeSkipped(
  { output }: CommandContext,
  builds: Builds,
  { buildId, state }: DatasetBuild,
  takes: boolean,
): Promise<void> {
  if (state !== 'editing') {
    throw new AppError('INVALID_ARGUMENT', 'The items of this build were sent: its spans stay as they are.');
  }
  const { total } = builds.readReview(buildId, 0);
  await builds.addReview(buildId, total, [{ type: 'take-skipped', takes, atMs: systemClock.nowMs() }]);
  const { name, counts } = builds.get(buildId);
  const { skipped } = countReview(await builds.review(buildId));
  output.answer({ buildId, skipped, takesSkipped: takes, items: counts.unsent }, () => [
    `${counted(skipped, 'skipped span')} of ${name} ${takes ? 'will be added' : 'left out'}: ${counted(counts.unsent, 'item')} to add.`,
  ]);
}

async function exportReview(context: CommandContext, builds: Builds, build: DatasetBuild): Promise<void> {
  const { args, output } = context;
  const path = args.text('output');
  if (path === null) {
    throw new AppError('INVALID_ARGUMENT', 'review export expects --output FILE, a .csv or .jsonl file.');
  }
  const own = await builds.review(build.buildId);
  if (own.damaged.length > 0) output.note(damagedDecisions(own.damaged));
  const { rows } = await builds.writeReview(build.buildId, resolve(path), {
    format: fileFormat(path, REVIEW_FORMATS),
    isExact: args.flag('exact'),
    fits: filterOf(context, own),
  });
  output.answer({ buildId: build.buildId, file: resolve(path), rows }, () => [
    `Wrote ${counted(rows, 'span')} of the review ${build.name} to ${path}.`,
  ]);
}

type Fits = (mark: { verdict: string | null; kindId: string | null }) => boolean;

/** Throws INVALID_ARGUMENT for an unknown verdict or failure kind. */
function filterOf({ args }: CommandContext, { kinds }: Review): Fits {
  const [verdict, kind] = [args.text('verdict'), args.text('failure-kind')];
  if (verdict !== null && !VERDICTS.some((each) => each === verdict)) {
    throw new AppError('INVALID_ARGUMENT', `--verdict expects ${nameList([...VERDICTS])}, got ${verdict}.`);
  }
  const ids = kinds.filter(({ name }) => name === kind).map(({ kindId }) => kindId);
  if (kind !== null && ids.length === 0) {
    const names = kinds.map(({ name }) => name);
    throw new AppError(
      'INVALID_ARGUMENT',
      `There is no failure kind “${kind}”.${names.length === 0 ? '' : ` There are: ${nameList(names)}.`}`,
    );
  }
  return (mark) =>
    (verdict === null || mark.verdict === verdict) &&
    (kind === null || (mark.kindId !== null && ids.includes(mark.kindId)));
}
