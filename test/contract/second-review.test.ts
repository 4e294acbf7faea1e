/**
 * A second person reviews the same spans: the file of the spans, the review that is returned, agreement, and
 * differences.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Dialect } from '../../electron/shared/dialect.ts';
import { foldReview } from '../../electron/shared/review-fold.ts';
import { MAX_SECOND_REVIEWS, type ReviewEvent, VERDICTS } from '../../electron/shared/review-model.ts';
import {
  decisionOf,
  differenceAt,
  opinionsAt,
  reviewAgreementText,
} from '../../electron/shared/second-review.ts';
import { open } from '../helpers/dataset-builds.ts';
import type { DatasetRig } from '../helpers/dataset-rig.ts';

const JSONL: Dialect = {
  ...{ format: 'jsonl', encoding: 'utf-8', delimiter: ',', quote: '"', hasHeader: true, nullWords: [] },
};
const CSV: Dialect = { ...JSONL, format: 'csv' };
type Verdict = (typeof VERDICTS)[number];

const mark = (position: number, verdict: Verdict | null, note = ''): ReviewEvent => ({
  ...{ type: 'mark', position, atMs: 1 },
  patch: { verdict, note, ...(verdict === 'edited' ? { expected: 'Better so.' } : {}) },
});
const group = (name: string, positions: number[]): ReviewEvent => ({
  ...{ type: 'group', kindId: name, name, positions, atMs: 1 },
});

/** A draft with the spans of a file, as the second person makes it. */
async function second(rig: DatasetRig, file: string): Promise<string> {
  const { builds } = rig.datasets;
  const { rows } = await builds.checkFile({ fileId: file, dialect: JSONL });
  const buildId = await rig.newBuild('Second pass');
  builds.pickAll(buildId, { kind: 'file', fileId: file, dialect: JSONL, name: 'spans.jsonl', rows });
  await builds.whenIdle(buildId);
  return buildId;
}

test('the spans go to a second person without decisions, and the review of this person comes back', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await rig.newBuild();
  await rig.pick(buildId, 8);
  const own = [
    ...['accepted', 'accepted', 'rejected', 'rejected', 'edited', 'skipped'].map((verdict, at) =>
      mark(at, verdict as Verdict, 'mine only'),
    ),
    group('Too long', [2, 3]),
  ];
  await builds.addReview(buildId, 0, own);
  const spans = rig.path('spans.jsonl');
  expect(await builds.writeFile(buildId, 'spans', spans)).toEqual({ rows: 8 });
  expect(readFileSync(spans, 'utf8')).not.toMatch(/accepted|rejected|mine only|Too long/);

  const otherId = await second(rig, spans);
  expect(builds.get(otherId).counts).toMatchObject({ picked: 8, withoutRecord: 0 });
  await builds.addReview(otherId, 0, [
    ...['accepted', 'rejected', 'rejected', 'rejected', 'accepted', 'accepted', 'rejected'].map(
      (verdict, at) => mark(at, verdict as Verdict, at === 1 ? '=SUM(A1)' : ''),
    ),
    group('too long ', [2]),
    group('Wrong tone', [1, 3]),
  ]);
  for (const [name, dialect] of [
    ['review.jsonl', JSONL],
    ['review.csv', CSV],
  ] as const) {
    const file = rig.path(name);
    await builds.writeFile(otherId, 'review', file);
    expect(await builds.addSecondReview(buildId, { fileId: file, dialect }, 'Ann')).toEqual({
      ...{ rows: 7, decisions: 7, undecided: 0, notHere: 0, repeated: 0, badRows: 0 },
    });
    const review = await builds.review(buildId);
    expect(review.seconds).toHaveLength(1);
    const [ann] = review.seconds;
    if (ann === undefined) throw new Error('Expected the review of Ann.');
    expect([0, 1, 2, 3, 4, 5, 6].map((at) => differenceAt(review, ann, at))).toEqual([
      ...[null, 'verdict', null, 'kind', null, null, null],
    ]);
    expect(opinionsAt(review, 1)).toEqual([
      { reviewer: 'Ann', verdict: 'rejected', kind: 'Wrong tone', note: '=SUM(A1)' },
    ]);
    // The review is blind: no opinion is shown before the reviewer's own decision.
    expect(opinionsAt(review, 6)).toEqual([]);
  }
  const [agreement] = await builds.agreements(buildId);
  expect(agreement).toMatchObject({
    ...{ reviewer: 'Ann', both: 5, different: 1, onlyOther: 2, named: 2, sameKind: 1 },
  });
  // Computed by hand: equal 4 of 5; by chance 3/5·2/5 + 2/5·3/5 = 12/25; kappa (0.8 − 0.48) / 0.52.
  expect(agreement?.agreement?.kappa?.value).toBeCloseTo(0.32 / 0.52, 12);
  expect(agreement && reviewAgreementText(agreement)).toMatch(
    /^5 spans decided by both\. Equal for 80 % .* Same failure kind for 1 of 2 spans that both rejected\.$/,
  );
  // A span that was removed from the draft does not count.
  const { rows } = builds.readRows(buildId, { mapping: null, show: 'all', offset: 0, limit: 2 });
  await builds.unpick(buildId, rows.slice(1, 2));
  expect(await builds.agreements(buildId)).toMatchObject([{ both: 4, different: 0 }]);
  const { total } = builds.readReview(buildId, 0);
  await builds.addReview(buildId, total, [{ type: 'remove-second-review', reviewer: 'Ann', atMs: 2 }]);
  expect(await builds.agreements(buildId)).toEqual([]);
});

test('a file that is not a review of these spans is refused, and its other rows are counted', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await rig.newBuild();
  await rig.pick(buildId, 2);
  const [first] = builds.readRows(buildId, { mapping: null, show: 'all', offset: 0, limit: 2 }).rows;
  const ids = { trace_id: first?.trace_id, span_id: first?.span_id };
  const read = (rows: unknown[]) => {
    const path = rig.path('given.jsonl');
    writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    return builds.addSecondReview(buildId, { fileId: path, dialect: JSONL }, 'Ann');
  };
  const stranger = { trace_id: 'ab'.repeat(16), span_id: 'cd'.repeat(8) };
  await expect(read([{ ...ids, output: 'A span.' }])).rejects.toThrow(
    /Expected a review with the columns trace_id, span_id and verdict, got no verdict in any row/,
  );
  await expect(read([{ ...ids, verdict: 'good' }])).rejects.toThrow(
    /Expected the verdict accepted, edited, rejected, skipped or none .* got good/,
  );
  await expect(read([{ ...stranger, verdict: 'accepted' }])).rejects.toThrow(
    /Expected decisions on spans of this draft, got 1 on other spans/,
  );
  expect(builds.readReview(buildId, 0).total).toBe(0);
  expect(
    await read([
      { ...ids, verdict: 'accepted' },
      { ...ids, verdict: 'rejected' },
      { ...stranger, verdict: 'rejected' },
      { trace_id: 'ef'.repeat(16), span_id: 'ab'.repeat(8), verdict: null, note: 'look again' },
      { verdict: 'accepted' },
    ]),
  ).toEqual({ rows: 5, decisions: 1, undecided: 1, notHere: 1, repeated: 1, badRows: 1 });
  await expect(builds.review(buildId)).resolves.toMatchObject({
    seconds: [{ marks: new Map([[0, { position: 0, verdict: 'accepted', kind: null, note: '' }]]) }],
  });
});

test('a long review is stored in events that fit into a message, and replaces the one before', async () => {
  const { rig } = await open();
  const { builds } = rig.datasets;
  const buildId = await rig.newBuild();
  await rig.pick(buildId, 40);
  await builds.addReview(
    buildId,
    0,
    Array.from({ length: 40 }, (_, at) => mark(at, 'accepted')),
  );
  const { rows } = builds.readRows(buildId, { mapping: null, show: 'all', offset: 0, limit: 200 });
  const path = rig.path('long.jsonl');
  const write = (verdict: Verdict, count: number) =>
    writeFileSync(
      path,
      rows
        .slice(0, count)
        .map(({ trace_id, span_id }) =>
          JSON.stringify({ trace_id, span_id, verdict, note: 'n'.repeat(9_000) }),
        )
        .join('\n'),
    );
  write('rejected', 40);
  await builds.addSecondReview(buildId, { fileId: path, dialect: JSONL }, 'Ann');
  expect(await builds.agreements(buildId)).toMatchObject([{ both: 40, different: 40 }]);
  for (let seq = 40; seq < builds.readReview(buildId, 0).total; ) {
    const page = builds.readReview(buildId, seq);
    expect(JSON.stringify(page.events).length).toBeLessThan(150_000);
    seq += page.events.length;
  }
  write('accepted', 3);
  await builds.addSecondReview(buildId, { fileId: path, dialect: JSONL }, 'Ann');
  expect(await builds.agreements(buildId)).toMatchObject([{ both: 3, different: 0 }]);
  for (let at = 1; at < MAX_SECOND_REVIEWS; at += 1)
    await builds.addSecondReview(buildId, { fileId: path, dialect: JSONL }, `Reviewer ${at}`);
  await expect(builds.addSecondReview(buildId, { fileId: path, dialect: JSONL }, 'One more')).rejects.toThrow(
    /at most 8 second reviews/,
  );
});

const verdict = fc.constantFrom(...VERDICTS, null);

test('second reviews neither change the decisions made here nor what can be undone', () => {
  const events = fc.array(fc.tuple(fc.nat(5), verdict, fc.boolean()), { maxLength: 20 });
  fc.assert(
    fc.property(events, (given) => {
      const own = given.map(([at, each]) => mark(at, each));
      const mixed = given.flatMap(([at, each, isSecond], index): ReviewEvent[] =>
        isSecond
          ? [
              mark(at, each),
              {
                ...{ type: 'second-review', reviewer: 'Ann', isFirst: index === 0, atMs: 1 },
                marks: [{ position: at, verdict: each ?? 'skipped', kind: null, note: '' }],
              },
            ]
          : [mark(at, each)],
      );
      const { seconds: _, ...rest } = foldReview(mixed);
      const { seconds: __, ...expected } = foldReview(own);
      expect(rest).toEqual(expected);
    }),
  );
});

test('skipped spans have no decision', () => {
  expect(VERDICTS.map(decisionOf)).toEqual(['good', 'good', 'bad', null]);
});
