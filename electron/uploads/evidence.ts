/**
 * Decides whether a batch whose answer was lost was stored. The service shows no single events, only the row count of
 * an environment. The difference to the count before the job, minus the acknowledged rows, is the number of rows that
 * the unknown batches added. Other writers and deletions change the count as well and leave no trace in it, so each
 * verdict is shown with that doubt, and a person decides.
 */

import { pastMoment } from '../core/moments.ts';
import type { Baseline } from '../db/upload-store.ts';
import { counted, numberText } from '../shared/count-text.ts';
import type { BatchEvidence } from '../shared/upload-model.ts';

interface UnknownBatch {
  batch: number;
  rows: number;
  sentAtMs: number | null;
  /** Time at which the wait for the answer ended; null if it has not ended. */
  answeredAtMs: number | null;
  /** The verdict of an earlier count. */
  evidence: BatchEvidence | null;
}

/** True if a count has decided about this batch. Later counts take that verdict as given. */
export const isJudged = ({ evidence }: Pick<UnknownBatch, 'evidence'>): boolean =>
  evidence !== null && evidence.verdict !== 'undecided';

/** True if a later count may still show the batch: an earlier count may have been taken too soon. */
export const mayBeCounted = ({ evidence }: Pick<UnknownBatch, 'evidence'>): boolean =>
  evidence?.verdict !== 'stored';

export interface EvidenceInput {
  baseline: Baseline | null;
  /** The row count now, or null with the reason why there is none. */
  count: { rowCount: number | null; reason: string };
  /** Rows of this job acknowledged since the baseline. */
  acknowledged: number;
  /** Rows of other jobs of the environment: acknowledged since the baseline, and of unknown or open outcome. */
  others: { acknowledged: number; uncertain: number };
  unknown: readonly UnknownBatch[];
  /** Time when the latest acknowledged batch was sent. */
  latestAcknowledgedMs: number | null;
  nowMs: number;
  /** After this time a count is assumed to include everything. */
  settleMs: number;
}

/** Maximum number of batches whose subsets are tried. */
const MAX_TRIED = 16;

const DISTURBANCE = 'Other writers to the same environment, and deletions, would change this count too.';

/** Returns a verdict for every unknown batch, with the figures behind it. */
export function judgeBatches(input: EvidenceInput): Map<number, BatchEvidence> {
  const { baseline, count, unknown, nowMs } = input;
  const verdict = (kind: BatchEvidence['verdict'], facts: string[]): BatchEvidence => ({
    verdict: kind,
    facts,
    atMs: nowMs,
  });
  const all = (facts: string[]) => new Map(unknown.map(({ batch }) => [batch, verdict('undecided', facts)]));
  if (baseline === null || baseline.rowCount === null) {
    return all([`There is no row count from before the upload: ${baseline?.reason ?? 'it was not read'}.`]);
  }
  if (count.rowCount === null) return all([`There is no row count now: ${count.reason}.`]);
  const added = count.rowCount - baseline.rowCount;
  const sure = input.acknowledged + input.others.acknowledged;
  const gap = added - sure;
  const facts = [
    `The environment had ${counted(baseline.rowCount, 'row')} before the upload and has ${numberText(count.rowCount)} now: ${numberText(added)} more.`,
    `${counted(sure, 'row')} acknowledged in that time, which leaves ${numberText(gap)} for ${unknown.length === 1 ? 'the unknown batch' : `${numberText(unknown.length)} unknown batches`}.`,
  ];
  if (input.others.uncertain > 0) {
    return all([
      ...facts,
      `Other uploads to this environment have ${counted(input.others.uncertain, 'undecided row')}: decide those first.`,
    ]);
  }
  const fitting = fittingAsJudged(unknown, gap);
  if (fitting === null)
    return all([...facts, 'There are too many unknown batches to tell them apart by a count.']);
  if (fitting.length === 0) {
    const reason =
      gap < 0
        ? 'The service has not counted everything yet: new rows show only after minutes. Ask again later.'
        : 'No combination of the unknown batches adds up to that.';
    return all([...facts, reason, DISTURBANCE]);
  }
  return new Map(
    unknown.map((batch) => {
      const stored = fitting.filter((set) => set.has(batch)).length;
      if (stored === fitting.length)
        return [
          batch.batch,
          verdict('stored', [...facts, 'That fits only if this batch was stored.', DISTURBANCE]),
        ];
      if (stored > 0)
        return [
          batch.batch,
          verdict('undecided', [
            ...facts,
            'More than one combination of the unknown batches adds up to that.',
          ]),
        ];
      return [batch.batch, notStored(batch, input, facts, verdict)];
    }),
  );
}

function notStored(
  batch: UnknownBatch,
  input: EvidenceInput,
  facts: string[],
  verdict: (kind: BatchEvidence['verdict'], facts: string[]) => BatchEvidence,
): BatchEvidence {
  const sentAtMs = pastMoment(batch.sentAtMs, input.nowMs) ?? 0;
  // Several batches are in flight together, so a batch sent a moment later proves nothing about this one.
  const lostAtMs = pastMoment(batch.answeredAtMs, input.nowMs) ?? sentAtMs;
  const { latestAcknowledgedMs: latestMs, nowMs } = input;
  // A time in the future says nothing: the clock was ahead when that batch was sent, and has been set back since.
  const isOvertaken = latestMs !== null && latestMs <= nowMs && latestMs > lostAtMs;
  if (isOvertaken) {
    return verdict('not-stored', [
      ...facts,
      'Rows sent later are counted, the rows of this batch are not.',
      DISTURBANCE,
    ]);
  }
  if (nowMs - sentAtMs >= input.settleMs) {
    return verdict('not-stored', [
      ...facts,
      'The rows of this batch are not counted, although the service had time to.',
      DISTURBANCE,
    ]);
  }
  const minutes = Math.max(1, Math.ceil((input.settleMs - (nowMs - sentAtMs)) / 60_000));
  return verdict('undecided', [
    ...facts,
    `The rows are not counted yet, but new rows show only after minutes. Ask again in ${minutes} min.`,
  ]);
}

/**
 * Returns every set of batches that adds up to the gap and agrees with earlier counts. If no set agrees, an earlier
 * count was taken too soon: first its "not stored" verdicts are ignored, then all its verdicts. Null if there are too
 * many batches to try.
 */
function fittingAsJudged(unknown: readonly UnknownBatch[], gap: number): Set<UnknownBatch>[] | null {
  const stored = unknown.filter(({ evidence }) => evidence?.verdict === 'stored');
  const left = stored.reduce((rest, { rows }) => rest - rows, gap);
  for (const doubtful of [unknown.filter((batch) => !isJudged(batch)), unknown.filter(mayBeCounted)]) {
    const fitting = fittingOf(doubtful, left);
    if (fitting !== null && fitting.length > 0) return fitting.map((set) => new Set([...stored, ...set]));
  }
  return fittingOf(unknown, gap);
}

/**
 * Batches that may have arrived late and so explain why the count grew between two readings. Empty if no combination
 * fits, which means that others write to the environment.
 */
export function mayHaveArrived(unknown: readonly UnknownBatch[], movedBy: number): Set<number> {
  const fitting = movedBy <= 0 ? null : fittingOf(unknown.filter(mayBeCounted), movedBy);
  return new Set((fitting ?? []).flatMap((set) => [...set].map(({ batch }) => batch)));
}

function fittingOf(batches: readonly UnknownBatch[], gap: number): Set<UnknownBatch>[] | null {
  if (gap < 0) return [];
  const sets = fittingSets(
    batches.map(({ rows }) => rows),
    gap,
  );
  const of = (set: number) => new Set(batches.filter((_, index) => (set & (1 << index)) !== 0));
  return sets === null ? null : sets.map(of);
}

/** Every subset whose sizes add up to `sum`, as bit sets. Null if there are too many batches to try. */
function fittingSets(sizes: readonly number[], sum: number): number[] | null {
  const total = sizes.reduce((before, size) => before + size, 0);
  if (sizes.length > MAX_TRIED) {
    // A bit set has 31 bits. With more batches only "none" can be decided, and "all" if every batch has a bit.
    return sum === 0 ? [0] : sum === total && sizes.length <= 30 ? [2 ** sizes.length - 1] : null;
  }
  const fitting: number[] = [];
  for (let set = 0; set < 2 ** sizes.length; set += 1) {
    let added = 0;
    for (let index = 0; index < sizes.length; index += 1)
      if ((set & (1 << index)) !== 0) added += sizes[index] ?? 0;
    if (added === sum) fitting.push(set);
  }
  return fitting;
}

/**
 * Maximum number of batches whose sizes are kept distinguishable, including the new one. More would have too many sums.
 */
const MAX_TOLD_APART = 9;

/**
 * Differences between two row counts that would leave open which batches were stored. A further batch must have none of
 * these sizes. Null if there are too many batches, or if they cannot be distinguished already.
 */
function doubtfulSizes(sizes: readonly number[]): Set<number> | null {
  if (sizes.length >= MAX_TOLD_APART) return null;
  const differences = new Set([0]);
  for (const size of sizes) {
    if (differences.has(size)) return null;
    for (const known of [...differences]) differences.add(known + size).add(known - size);
  }
  return differences;
}

/** True if every row count determines which of these batches were stored: no two sets of them have the same sum. */
export function areDistinguishable(sizes: readonly number[]): boolean {
  const [last, ...others] = sizes;
  return last === undefined || doubtfulSizes(others)?.has(last) === false;
}

/**
 * Row limit for the next batch, when `left` rows remain: `usual`, or fewer if a later row count could not distinguish
 * it from the batches in flight or of unknown outcome. The last batch must be distinguishable, too. Null if there is no
 * such size.
 */
export function distinctSize(usual: number, taken: readonly number[], left: number): number | null {
  const most = Math.max(1, Math.min(usual, left));
  if (taken.length === 0) return most;
  const doubtful = doubtfulSizes(taken);
  if (doubtful === null) return null;
  let found: number | null = null;
  const least = left > usual ? usual / 2 : 0;
  for (let size = most; size > least; size -= 1) {
    if (doubtful.has(size)) continue;
    const rest = left - size;
    if (rest === 0 || rest > usual || !doubtful.has(rest)) return size;
    found ??= size;
  }
  return found;
}
