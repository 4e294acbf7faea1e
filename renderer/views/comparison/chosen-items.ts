/** Actions for the items that pass the filter of a comparison: selecting their spans, a review. */
import { AppError } from '../../../electron/shared/errors.ts';
import type { ChosenItem } from '../../../electron/shared/run-comparison.ts';
import { leftOutText, type SpansOfApplication, spansOfItems } from '../../lib/chosen-spans.ts';
import { formatCount } from '../../lib/format.ts';
import type { Basket } from '../../state/basket.svelte.ts';
import { basketOf } from '../../state/baskets.ts';
import { jobs } from '../../state/jobs.svelte.ts';
import { toast } from '../../state/toast.ts';
import { openBuild } from '../spans/routes.ts';

/** Maximum number of spans added in one request. */
const PICKED_AT_ONCE = 1_000;

async function pickInto(basket: Basket, { positions }: SpansOfApplication): Promise<number> {
  let added = 0;
  for (const [fromId, all] of positions)
    for (let at = 0; at < all.length; at += PICKED_AT_ONCE)
      added += (await basket.pickOf(fromId, all.slice(at, at + PICKED_AT_ONCE))).added;
  return added;
}

async function foundSpans(connectionId: string, items: readonly ChosenItem[]) {
  await jobs.watch(connectionId);
  const found = spansOfItems(items, jobs.of('build'));
  const [most] = found.groups;
  if (most !== undefined) return { ...found, most };
  throw new AppError(
    'NOT_FOUND',
    `Expected items made from spans in a draft on this computer, got ${formatCount(items.length, 'item')} without one. Open the trace of a result instead.`,
  );
}

/** Adds the spans from which the items were made to the selection of their application. Throws AppError. */
export async function selectSpans(connectionId: string, items: readonly ChosenItem[]): Promise<void> {
  const { groups, without } = await foundSpans(connectionId, items);
  let [added, known] = [0, 0];
  for (const group of groups) {
    const own = await pickInto(basketOf(connectionId, group.application), group);
    added += own;
    known += group.count - own;
  }
  const description = leftOutText(without, known);
  const names = groups.map(({ application }) => application.name).join(', ');
  toast(`${formatCount(added, 'span')} of ${names} selected`, description === '' ? {} : { description });
}

/**
 * Opens the review of these spans in a new draft. If they belong to several applications, uses the one with most spans.
 * Throws AppError.
 */
export async function reviewSpans(connectionId: string, items: readonly ChosenItem[]): Promise<void> {
  const { groups, most, without } = await foundSpans(connectionId, items);
  const basket = basketOf(connectionId, most.application);
  const pick = async () => ({ added: await pickInto(basket, most), missing: 0 });
  const { buildId, name } = await basket.beginWith(pick, () => Promise.resolve());
  openBuild(buildId, name, 'spans', 'on');
  const others = groups.slice(1).reduce((sum, { count }) => sum + count, 0);
  const elsewhere = others === 0 ? '' : ` ${formatCount(others, 'span')} of other applications left out.`;
  const description = `${leftOutText(without, 0)}${elsewhere}`.trim();
  if (description !== '') toast(`Review of ${formatCount(most.count, 'span')}`, { description });
}
