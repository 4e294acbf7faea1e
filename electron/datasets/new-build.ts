import type { StoredBuild } from '../db/build-store.ts';
import { type BuildAsk, MAX_SPANS_PER_CALL } from '../shared/dataset-model.ts';

/** Margin for the range of a call: a start time may be less precise than the service's, and clocks differ. */
const MARGIN_MS = 60_000;

/** The state in which the service was not asked about spans of files yet. */
export const NEW_ASK: BuildAsk = { phase: 'due', asked: 0, known: 0 };

/** A new build without spans and mapping. */
export function newBuild(
  given: Pick<StoredBuild, 'id' | 'name' | 'applicationId' | 'applicationName' | 'createdAtMs'>,
): StoredBuild {
  return {
    ...given,
    state: 'editing',
    reason: '',
    error: null,
    mapping: [],
    target: null,
    datasetId: null,
    creatingSinceMs: null,
    skipsAdded: true,
    skipsUnresolved: false,
    nearDuplicates: null,
    marginMs: MARGIN_MS,
    search: null,
    recheck: null,
    ask: null,
    timeRange: null,
    pickedRange: null,
    firstStartMs: null,
    lastStartMs: null,
    callSpans: MAX_SPANS_PER_CALL,
    nextPosition: 0,
    baseline: null,
    fill: null,
    fileProgress: null,
    check: null,
    startAtMs: null,
    lateStart: null,
    changedAtMs: given.createdAtMs,
    endedAtMs: null,
  };
}
