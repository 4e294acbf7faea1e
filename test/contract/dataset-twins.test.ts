import { expect, test } from 'vitest';
import { open, prepared } from '../helpers/dataset-builds.ts';

test('twins are left out, kept when a person says so, and come back where they are none any more', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await prepared(rig, 120);
  const { twins, counts } = await builds.findTwins(buildId, 0.85);
  const found = twins?.found ?? 0;
  expect(found).toBeGreaterThan(1);
  expect(twins).toEqual({ threshold: 0.85, found, skipped: found });
  expect(counts).toMatchObject({ picked: 120, excluded: found, unsent: 120 - found });

  const page = builds.readRows(buildId, { mapping: null, show: 'twins', offset: 0, limit: 200 });
  expect(page.matchingRows).toBe(found);
  const [first, second] = page.rows;
  if (first?.twin?.of.kind !== 'span' || second === undefined) throw new Error('There is no twin of a span.');
  const pair = builds.readTwin(buildId, first.position);
  const side = (left: 'removed' | 'added') =>
    pair.pieces
      .filter(({ kind }) => kind !== left)
      .map(({ text }) => text)
      .join('');
  for (const { input, position } of [
    { input: side('removed'), position: first.position },
    { input: side('added'), position: first.twin.of.position },
  ]) {
    expect(input).toContain(String(builds.readSpan(buildId, null, position).row.item?.inputs['intent']));
  }

  builds.exclude(buildId, [first.position], false);
  const again = await builds.findTwins(buildId, 0.85);
  expect(again).toMatchObject({
    twins: { found, skipped: found - 1 },
    counts: { excluded: found - 1, unsent: 121 - found },
  });
  // What a person leaves out is no twin and has none.
  const other = builds
    .readRows(buildId, { mapping: null, show: 'to-send', offset: 0, limit: 200 })
    .rows.at(-1);
  builds.exclude(buildId, [other?.position ?? 0], true);
  const strict = await builds.findTwins(buildId, 1);
  expect(strict.counts.excluded).toBe((strict.twins?.skipped ?? 0) + 1);
  expect(strict.twins?.found).toBeLessThanOrEqual(found);
});
