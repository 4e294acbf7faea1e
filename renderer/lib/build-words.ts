/** Texts about builds (datasets from spans): states, counts, progress. Pure. */
import type { BuildBatchState } from '../../electron/shared/build-batch-model.ts';
import { rangeText } from '../../electron/shared/count-text.ts';
import type {
  BuildCheck,
  BuildCounts,
  BuildFill,
  BuildRowFilter,
  BuildState,
  DatasetBuild,
  DatasetTarget,
  RecheckDifference,
  SpanState,
  WiderSearch,
} from '../../electron/shared/dataset-model.ts';
import { parseTime } from '../../electron/shared/zone-time.ts';
import type { CountPart, CountSum } from './count-words.ts';
import { formatCount, formatNumber, formatStamp, shortenMiddle } from './format.ts';

export const BUILD_WORDS: Readonly<Record<BuildState, string>> = {
  editing: 'In preparation',
  committing: 'Adding items',
  waiting: 'Waiting',
  paused: 'Paused',
  stopped: 'Stopped',
  'needs-decision': 'Decision needed',
  done: 'Done',
  cancelled: 'Cancelled',
};

export const PICKED_WORDS: Readonly<Record<SpanState, string>> = {
  unsent: 'to add',
  excluded: 'excluded',
  added: 'already in dataset',
  unresolved: 'not found',
  sending: 'sending',
  unknown: 'unknown',
  acknowledged: 'added',
  'given-up': 'skipped',
};

export const CALL_WORDS: Readonly<Record<BuildBatchState, string>> = {
  sending: 'sending',
  acknowledged: 'acknowledged',
  refused: 'refused',
  unsent: 'not sent',
  unknown: 'unknown',
  'given-up': 'skipped',
};

export const FILTER_WORDS: Readonly<Record<BuildRowFilter, string>> = {
  all: 'All',
  'to-send': 'To add',
  missing: 'With missing fields',
  'near-duplicates': 'Near-duplicates',
  unresolved: 'Not found',
  excluded: 'Excluded',
  added: 'Already in dataset',
  acknowledged: 'Added',
  unknown: 'Unknown',
};

/** Progress of picking: `1,200 of 5,000`. */
export function filledText({ fetched, total }: Pick<BuildFill, 'fetched' | 'total'>): string {
  return `${formatNumber(fetched)}${total === null ? '' : ` of ${formatNumber(total)}`}`;
}

/** The reason why picking ended early, and how far it got; null if it did not end early. */
export function haltedText(
  fill: Pick<BuildFill, 'phase' | 'source' | 'fetched' | 'total' | 'added'>,
): string | null {
  if (fill.phase !== 'stopped' && fill.phase !== 'interrupted') return null;
  const { source, added } = fill;
  const [what, from] = source.kind === 'file' ? ['rows', ` of ${source.name}`] : ['spans', ''];
  const reason = fill.phase === 'stopped' ? 'You stopped it' : 'Spandeck ended meanwhile';
  return `${reason}: ${filledText(fill)} ${what}${from} were read, ${formatCount(added, 'span')} added.`;
}

/** `30 spans`; `19 of 30 spans` if some are left out. */
export function spansText({ counts: { picked, excluded } }: Pick<DatasetBuild, 'counts'>): string {
  const all = formatCount(picked, 'span');
  return excluded === 0 ? all : `${formatNumber(picked - excluded)} of ${all}`;
}

/** The number of picked spans and its parts. */
export function countSum(counts: BuildCounts): CountSum {
  const parts: CountPart[] = [
    {
      look: 'acknowledged',
      word: 'added',
      meaning: 'The service answered with the id of the item.',
      count: counts.acknowledged,
    },
    {
      look: 'refused',
      word: 'not found',
      meaning: 'The service did not find the span in this time range.',
      count: counts.unresolved,
    },
    {
      look: 'unknown',
      word: 'unknown',
      meaning: 'Sent, but no answer came: the items may or may not be stored.',
      count: counts.unknown,
    },
    {
      look: 'rejected',
      word: 'excluded',
      meaning: 'Excluded by hand, rejected or skipped in the review, or already in the dataset.',
      count: counts.excluded + counts.added + counts.givenUp,
    },
    {
      look: 'unsent',
      word: 'not sent',
      meaning: 'Not sent yet.',
      count: counts.unsent + counts.sending,
    },
  ];
  return { whole: counts.picked, noun: 'span', wholeWord: 'selected', parts };
}

/** Number of spans that a commit would send. */
export function toSend(counts: BuildCounts): number {
  return (
    counts.unsent + counts.unresolved + counts.sending + counts.unknown + counts.acknowledged + counts.givenUp
  );
}

/** `Added 400 of 452 items. 2 spans were not found.` */
export function progressSentence({
  counts,
  batches,
  search,
  recheck,
}: Pick<DatasetBuild, 'counts' | 'batches' | 'search' | 'recheck'>): string {
  const sentences = [`Added ${formatNumber(counts.acknowledged)} of ${formatCount(toSend(counts), 'item')}.`];
  if (counts.unresolved > 0) {
    sentences.push(
      `${formatCount(counts.unresolved, 'span')} ${counts.unresolved === 1 ? 'was' : 'were'} not found.`,
    );
  }
  if (recheck?.phase === 'taken' && recheck.moved > 0) {
    sentences.push(`${formatNumber(recheck.moved)} found at another time before the first request.`);
  }
  if (search !== null) sentences.push(...searchSentences(search));
  if (batches.unknown > 0) {
    const many = batches.unknown === 1 ? 'has no answer: its items' : 'have no answer: their items';
    sentences.push(`${formatCount(batches.unknown, 'request')} ${many} may or may not be stored.`);
  }
  return sentences.join(' ');
}

/** Describes the search for spans that were not found at their own time: its range and its results. */
function searchSentences({ marginMs, calls, found, end }: WiderSearch): string[] {
  const inAll = found.reduce((sum, { spans }) => sum + spans, 0);
  const parts = found.map(({ marginMs: ms, spans }) => `${formatNumber(spans)} within ${rangeText(ms)}`);
  const sentences = inAll === 0 ? [] : [`${formatNumber(inAll)} found at another time: ${parts.join(', ')}.`];
  if (end === null && marginMs > 0) {
    sentences.push(
      `Looking up to ${rangeText(marginMs)} before and after (${formatCount(calls, 'request')}).`,
    );
  }
  return sentences;
}

/** A span and how it differs from its item: `ef00…0a2f · no longer at the service`. */
export function differenceNote({
  name,
  spanId,
  kind,
  changes,
  startsNow,
}: Pick<RecheckDifference, 'name' | 'spanId' | 'kind' | 'changes' | 'startsNow'>): string {
  const nowMs = parseTime(startsNow);
  const parts = [
    ...(name === null ? [] : [shortenMiddle(spanId, 18)]),
    ...(kind === 'gone' ? ['no longer at the service'] : []),
    ...(changes.length === 0 ? [] : [changes.map(({ path }) => path).join(', ')]),
    ...(nowMs === null ? [] : [`now at ${formatStamp(nowMs)}`]),
  ];
  return parts.join(' · ');
}

/** The dataset that the items are sent to, in a few words; null if none is chosen. */
export function targetText(build: Pick<DatasetBuild, 'target' | 'datasetId'>): string | null {
  const { target } = build;
  if (target === null || target.name.trim() === '') return null;
  return target.kind === 'new' && build.datasetId === null ? `${target.name} (new)` : target.name;
}

export const VERDICTS: Readonly<
  Record<BuildCheck['verdict'], { title: string; tone: 'ok' | 'info' | 'warn' }>
> = {
  equal: { title: 'The items in the dataset match the preview', tone: 'ok' },
  'count-agrees': { title: 'The number of items is as expected', tone: 'info' },
  differs: { title: 'The dataset differs from what was expected', tone: 'warn' },
  undecided: { title: 'The dataset could not be compared', tone: 'info' },
};

export const isBuildOver = (state: BuildState): boolean => state === 'done' || state === 'cancelled';

/** The controls available for a build in this state. */
export function controlsOf(state: BuildState): { pause: boolean; resume: boolean; cancel: boolean } {
  return {
    pause: state === 'committing' || state === 'waiting',
    resume: state === 'paused' || state === 'stopped',
    cancel: state !== 'editing' && !isBuildOver(state),
  };
}

/** The problem with the choice of a dataset, or null. */
export function targetProblem(target: DatasetTarget | null): string | null {
  if (target === null) return 'Choose a dataset.';
  return target.kind === 'new' && target.name.trim() === '' ? 'Name the dataset.' : null;
}
