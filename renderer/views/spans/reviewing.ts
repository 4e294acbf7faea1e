/** Opens the review of some or all picked spans. */
import type { DatasetBuild, SpanRef } from '../../../electron/shared/dataset-model.ts';
import { client } from '../../lib/client.ts';
import { app } from '../../state/app.svelte.ts';
import type { BuildName } from '../../state/build-actions.ts';
import { ReviewState } from '../../state/review.svelte.ts';
import { openBuild } from './routes.ts';

const MAX_NAMED = 1_000;

/** The review of a build, which exists as long as its tab is open. */
export const reviewOfTab = (tabId: string, name: BuildName): ReviewState =>
  app.tabs.hold(tabId, 'review', () => new ReviewState(name));

/** Reviews the spans at these positions; null for all. Returns false if the review could not be read. */
export async function chooseReviewed(
  review: ReviewState,
  positions: readonly number[] | null,
): Promise<boolean> {
  if (review.isLoaded) await review.refresh();
  else await review.load();
  if (!review.isLoaded) return false;
  if (positions !== null) review.only(positions);
  else if (review.filter === 'chosen') review.choose('all');
  return true;
}

/** Opens the review of some spans of a basket, or of all. Throws AppError. */
export async function openReview(build: DatasetBuild, refs: readonly SpanRef[] | null): Promise<void> {
  const { connectionId, buildId, name } = build;
  const positions: number[] = [];
  for (let at = 0; refs !== null && at < refs.length; at += MAX_NAMED) {
    const spans = refs.slice(at, at + MAX_NAMED);
    const found = await client.act('builds:read', 'find-picked', { connectionId, buildId, spans });
    positions.push(...found.flatMap((each) => each?.position ?? []));
  }
  const tab = openBuild(buildId, name, 'spans');
  const review = reviewOfTab(tab.id, { connectionId, buildId });
  await chooseReviewed(review, refs === null ? null : positions);
  // If the review could not be read, its view shows the error.
  openBuild(buildId, name, 'spans', 'on');
}
