/**
 * Was a batch stored whose answer was lost? The service shows no single events, only how many rows an environment
 * has: the difference to the count before the job, less what was acknowledged, is what the unknown batches added.
 */

import type { Baseline } from '../db/upload-store.ts';
import { counted, numberText } from '../shared/count-text.ts';
import type { BatchEvidence } from '../shared/upload-model.ts';

export interface EvidenceInput {
  baseline: Baseline | null;
  /** Row count now, or null with the reason why there is none. */
  count: { rowCount: number | null; why: string };
  /** Rows this job has acknowledged since the baseline. */
  acknowledged: number;
  /** The same of other jobs of the same environment, and their rows of unknown or open outcome. */
  others: { acknowledged: number; uncertain: number };
  unknown: readonly { batch: number; rows: number; sentAtMs: number | null }[];
  /** When the latest acknowledged batch was sent. */
  latestAcknowledgedMs: number | null;
  nowMs: number;
  /** After this long a count is taken to show everything. */
  settleMs: number;
}

/** More combinations than these are not tried out. */
const MOST_TRIED = 16;

const DISTURBANCE = 'Other writers to the same environment, and deletions, would change this count too.';

/** A verdict for every unknown batch, with the figures behind it. */
export function judgeBatches(input: EvidenceInput): Map<number, BatchEvidence> {
  const { baseline, count, unknown, nowMs } = input;
  const verdict = (kind: BatchEvidence['verdict'], facts: string[]): BatchEvidence => ({
    verdict: kind,
    facts,
    atMs: nowMs,
  });
  const all = (facts: string[]) => new Map(unknown.map(({ batch }) => [batch, verdict('undecided', facts)]));
  if (baseline === null || baseline.rowCount === null) {
    return all([`There is no row count from before the upload: ${baseline?.why ?? 'it was not read'}.`]);
  }
  if (count.rowCount === null) return all([`There is no row count now: ${count.why}.`]);
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
  const fitting =
    gap < 0
      ? []
      : fittingSets(
          unknown.map(({ rows }) => rows),
          gap,
        );
  if (fitting === null)
    return all([...facts, 'There are too many unknown batches to tell them apart by a count.']);
  if (fitting.length === 0) {
    const why =
      gap < 0
        ? 'The service has not counted everything yet: new rows show only after minutes. Ask again later.'
        : 'No combination of the unknown batches adds up to that.';
    return all([...facts, why, DISTURBANCE]);
  }
  return new Map(
    unknown.map((batch, index) => {
      const stored = fitting.filter((set) => (set & (1 << index)) !== 0).length;
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
  batch: EvidenceInput['unknown'][number],
  input: EvidenceInput,
  facts: string[],
  verdict: (kind: BatchEvidence['verdict'], facts: string[]) => BatchEvidence,
): BatchEvidence {
  const sentAtMs = batch.sentAtMs ?? 0;
  const isOvertaken = input.latestAcknowledgedMs !== null && input.latestAcknowledgedMs > sentAtMs;
  if (isOvertaken) {
    return verdict('not-stored', [
      ...facts,
      'Rows sent later are counted, the rows of this batch are not.',
      DISTURBANCE,
    ]);
  }
  if (input.nowMs - sentAtMs >= input.settleMs) {
    return verdict('not-stored', [
      ...facts,
      'The rows of this batch are not counted, although the service had time to.',
      DISTURBANCE,
    ]);
  }
  const minutes = Math.max(1, Math.ceil((input.settleMs - (input.nowMs - sentAtMs)) / 60_000));
  return verdict('undecided', [
    ...facts,
    `The rows are not counted yet, but new rows show only after minutes. Ask again in ${minutes} min.`,
  ]);
}

/** Every subset whose sizes add up to `sum`, as bit sets; null where there are too many batches to try. */
function fittingSets(sizes: readonly number[], sum: number): number[] | null {
  const total = sizes.reduce((before, size) => before + size, 0);
  if (sizes.length > MOST_TRIED) {
    // Bits beyond the 31st do not exist: only "none" can still be told, and "all" for as many as have a bit.
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
 * Rows for the next batch: one, two, four … fewer than usual when batches of unknown outcome or on their way
 * have that size already. Different sizes let a later row count tell which of them was stored.
 */
export function distinctSize(usual: number, taken: readonly number[]): number {
  if (!taken.includes(usual)) return usual;
  let less = 1;
  // Powers of two: no sum of some of them is the sum of others.
  while (less <= usual / 4) {
    if (!taken.includes(usual - less)) return usual - less;
    less *= 2;
  }
  return usual;
}
