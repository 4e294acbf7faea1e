/** Texts of the chip that shows the age of stored content, from Freshness, the network state and the time. Pure. */
import type { ErrorCode } from '../../electron/shared/errors.ts';
import type { Freshness, NetworkState } from '../../electron/shared/model.ts';
import { formatAge, formatCount, formatDay, formatMoment, formatNumber } from './format.ts';

type AgeTone = 'live' | 'plain' | 'stale' | 'offline' | 'failed' | 'none';

interface AgeText {
  text: string;
  /** Only the state and the age, for a place without room for the whole text: `offline · 3 h`. */
  short: string;
  /**
   * The part of `text` that says how much of the list is stored, with its separator. Empty if the whole list is stored.
   */
  rest: string;
  tone: AgeTone;
  /** Whether a request is running right now. */
  isLoading: boolean;
}

/** Content younger than this counts as live. */
const LIVE_MS = 60_000;
/** Content is no longer called live if a refresh has waited this long for its answer. */
const LATE_MS = 10_000;
/** Shorter waits in a rate lane are not mentioned. */
const SHORT_WAIT_MS = 3_000;

function startedAtMs({ refresh }: Freshness): number {
  return refresh.phase === 'loading' ? refresh.startedAtMs : Number.POSITIVE_INFINITY;
}

function completeness(freshness: Freshness): string {
  if (freshness.missingRows !== undefined) return ` · ${describeMissing(freshness.missingRows)}`;
  if (freshness.isComplete || freshness.totalRows === null) return '';
  if (freshness.isTotalWrong === true) return ` · ${formatNumber(freshness.storedRows)} loaded`;
  return ` · ${formatNumber(freshness.storedRows)} of ${formatNumber(freshness.totalRows)}`;
}

/** Whether reading on can request further rows of a stored list: its reading has not ended, and its total is usable. */
export function canReadOn(freshness: Freshness | null): boolean {
  if (freshness === null || freshness.isComplete || freshness.totalRows === null) return false;
  const { storedRows, totalRows, missingRows, isTotalWrong } = freshness;
  return missingRows === undefined && isTotalWrong !== true && storedRows < totalRows;
}

/**
 * `live`, `14:02 · 3 h`, `as of Tue 14:02 · 500 of 5,000`, `offline · as of 14:02`, `as of 14:02 · refresh
 * waits until 14:20`. `waitsUntilMs`: end of the refresh's wait in its rate lane.
 */
export function describeAge(
  freshness: Freshness,
  network: NetworkState['state'],
  nowMs: number,
  zone?: string,
  waitsUntilMs: number | null = null,
): AgeText {
  const isLoading = freshness.refresh.phase === 'loading';
  const isWaiting = isLoading && waitsUntilMs !== null && waitsUntilMs - nowMs > SHORT_WAIT_MS;
  const wait = isWaiting ? ` · refresh waits until ${formatMoment(waitsUntilMs, nowMs, zone)}` : '';
  const isOffline = network === 'switched-off' || network === 'unreachable';
  const at = freshness.newestMs;
  const rest = at === null ? '' : completeness(freshness);
  const say = (text: string, tone: AgeTone, short = text): AgeText => ({
    text,
    short,
    rest,
    tone,
    isLoading,
  });
  if (at === null) {
    if (isLoading)
      return isWaiting ? say(wait.slice(' · refresh '.length), 'none', 'waiting') : say('loading', 'none');
    if (freshness.refresh.phase === 'failed' && !isOffline) return say('not loaded', 'failed');
    return isOffline ? say('offline · not stored', 'offline', 'not stored') : say('not loaded', 'offline');
  }
  const moment = formatMoment(at, nowMs, zone);
  const age = nowMs - at;
  const shortAge = Math.abs(age) < LIVE_MS ? '<1 min' : formatAge(age);
  if (isOffline) return say(`offline · as of ${moment}${rest}`, 'offline', `offline · ${shortAge}`);
  if (freshness.refresh.phase === 'failed')
    return say(`refresh failed · as of ${moment}${rest}`, 'failed', `failed · ${shortAge}`);
  if (isWaiting) return say(`as of ${moment}${rest}${wait}`, 'stale', `${shortAge} · waiting`);
  const isLate = isLoading && nowMs - startedAtMs(freshness) > LATE_MS;
  if (network === 'online' && age < LIVE_MS && !freshness.isStale && !isLate)
    return say(`live${rest}`, 'live', 'live');
  const isSameDay = !/\D \d/.test(moment);
  const ago = Math.abs(age) < LIVE_MS ? 'under 1 min' : formatAge(age);
  const text = isSameDay ? `${moment} · ${ago}${rest}` : `as of ${moment}${rest}`;
  return say(text, freshness.isStale ? 'stale' : 'plain', shortAge);
}

/** How the total that the service states is wrong; null if it is not. */
function describeTotal({ isTotalWrong, isComplete, totalRows }: Freshness): string | null {
  if (isTotalWrong !== true || totalRows === null) return null;
  const reason = isComplete ? 'but its pages end before' : 'which is not possible';
  return `the service states ${formatNumber(totalRows)}, ${reason}`;
}

/** `265 rows missing`, for a list that was read to its end. */
export function describeMissing(missingRows: number | null): string {
  return missingRows === null ? 'rows missing' : `${formatCount(missingRows, 'row')} missing`;
}

interface Counted {
  freshness: Freshness | null;
  /** Number of rows to show, after filtering. */
  count: number;
  narrow: string;
  /** Active column filters. */
  filters?: readonly unknown[];
  /** Whether the list is neither sorted nor filtered. */
  isPlain: boolean;
  /** Whether each row stands for a group of stored rows, which are counted elsewhere. */
  isGrouped?: boolean;
  phase: 'closed' | 'opening' | 'ready' | 'failed';
}

/**
 * `12 rules`, `3 of 12 rules`; with a filter `3 of 12 stored of 40 rules`. Empty until the stored rows are read, so
 * that no wrong number is shown.
 */
export function describeCount(list: Counted, noun: { one: string; many: string }): string {
  const { freshness, count, narrow, isPlain, phase } = list;
  const stored = freshness?.storedRows ?? 0;
  if (phase === 'opening' && count === 0) return '';
  // Without a filter, no rows means that the stored rows have not been read yet, as right after a start.
  const isFiltered = narrow.trim() !== '' || (list.filters?.length ?? 0) > 0;
  if (!isFiltered && count === 0 && stored > 0 && list.isGrouped !== true) return '';
  if (list.isGrouped === true) return formatCount(count, noun.one, noun.many);
  const wrong = freshness === null ? null : describeTotal(freshness);
  if (isPlain && wrong !== null) {
    const loaded = freshness?.isComplete ? '' : ' loaded';
    return `${formatCount(stored, noun.one, noun.many)}${loaded} · ${wrong}`;
  }
  if (isPlain) {
    const missing = freshness?.missingRows;
    const gone = freshness?.goneRows;
    return [
      formatCount(count, noun.one, noun.many),
      ...(missing === undefined ? [] : [describeMissing(missing)]),
      ...(gone === undefined ? [] : [`${formatNumber(gone)} gone`]),
    ].join(' · ');
  }
  if ((list.filters?.length ?? 0) > 0) {
    const total = freshness?.isTotalWrong === true ? null : (freshness?.totalRows ?? null);
    if (freshness?.isComplete) return `${formatNumber(count)} of ${formatCount(stored, noun.one, noun.many)}`;
    const rest = total === null ? '' : ` of ${formatNumber(total)}`;
    return `${formatNumber(count)} of ${formatNumber(stored)} stored${rest} ${noun.many}`;
  }
  if (freshness?.isComplete && narrow.trim() === '') return formatCount(count, noun.one, noun.many);
  const whole = freshness?.isComplete ? formatNumber(stored) : `the ${formatNumber(stored)} loaded`;
  const verb = narrow.trim() === '' ? ', sorted' : '';
  return `${formatNumber(count)} of ${whole} ${noun.many}${verb}`;
}

/** The text of `describeCount` for a place without room for words: `3/12` for `3 of 12 rules`. */
export const shortCount = (text: string): string =>
  // Only plain spaces are between words, because a number can contain a narrow no-break space.
  text.replace(/^([^ ]+) of (?:the )?([^ ]+).*$/u, '$1/$2');

/** The reason why stored rows are missing; null if none were evicted. */
export function describeRemoval({ removed }: Freshness, nouns: string): string | null {
  if (removed === undefined) return null;
  return `These ${nouns} were removed from this computer on ${formatDay(removed.atMs)} to stay under ${removed.to}.`;
}

/** Sentences for the details behind the chip. */
export function describeCompleteness(freshness: Freshness): string {
  const { goneRows } = freshness;
  const gone =
    goneRows === undefined
      ? ''
      : ` ${formatNumber(goneRows)} of them ${goneRows === 1 ? 'is' : 'are'} no longer in this list at the service, and kept here.`;
  return `${describeStored(freshness)}${gone}`;
}

function describeStored(freshness: Freshness): string {
  const { storedRows, totalRows, isComplete, missingRows } = freshness;
  const stored = formatNumber(storedRows);
  if (freshness.source === 'none') return describeRemoval(freshness, 'rows') ?? 'Nothing yet.';
  const wrong = describeTotal(freshness);
  if (wrong !== null) return `${isComplete ? 'All ' : ''}${stored}; ${wrong}.`;
  if (isComplete) return `All ${stored}.`;
  if (missingRows !== undefined)
    return `${stored}; ${describeMissing(missingRows)}. The list changed each time it was read.`;
  if (totalRows === null) return `${stored}; total unknown.`;
  return `${stored} of ${formatNumber(totalRows)}.`;
}

/** Whether the stored rows are probably unchanged, judged without reading the rows. */
export function hasSameRows(before: Freshness | null, now: Freshness): boolean {
  return before?.storedRows === now.storedRows && before.newestMs === now.newestMs;
}

/** The error of the last refresh; null if it did not fail. */
export function failureCode(freshness: Freshness | null): ErrorCode | null {
  const refresh = freshness?.refresh;
  return refresh?.phase === 'failed' ? refresh.error.code : null;
}
