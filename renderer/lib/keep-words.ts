/** Texts about content that is kept for offline use: contents, completeness and cost of an entry. Pure. */
import type { JsonObject } from '../../electron/shared/json-body.ts';
import {
  type KeepEstimate,
  type KeepKind,
  type KeepPlan,
  type KeepShare,
  type KeepSpace,
  type Kept,
  rangeUpToDay,
  type SpaceKind,
} from '../../electron/shared/keep-model.ts';
import { formatBytes, formatCount, formatDayOfYear, formatDuration, formatNumber } from './format.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** The thing that the user wants to keep, with the data of its view. */
export interface KeepSubject {
  kind: KeepKind;
  id: string;
  name: string;
  /** Query body of a saved chart. */
  body?: JsonObject;
  /** Entities selected in the catalog, with their display text. */
  entities?: NonNullable<KeepPlan['entities']>;
  entitiesText?: string;
  /** The time range shown in the view. */
  range?: NonNullable<KeepPlan['range']>;
}

export const KEEP_NOUNS: Readonly<Record<KeepKind, string>> = {
  application: 'application',
  dataset: 'dataset',
  experiment: 'experiment',
  model: 'model',
  'alert-rule': 'alert rule',
  chart: 'chart',
  board: 'board',
};

export type ValueChoice = 'none' | 'chosen' | 'all';
export const DAY_CHOICES = [0, 1, 7, 30, 90, 365] as const;

interface KeepChoice {
  values: ValueChoice;
  /** Number of days up to now for spans or a rule's history; 0: none. Null: the time range of the view. */
  days: number | null;
}

/**
 * The plan for this subject. A number of days always counts back from the present. Days are in UTC, so that the same
 * plan produces the same query.
 */
export function planFor(subject: KeepSubject, { values, days }: KeepChoice, nowMs: number): KeepPlan {
  const { kind, id, name, body, entities, range } = subject;
  const isRanged = kind === 'application' || kind === 'alert-rule';
  const chosen = days === null ? (range ?? null) : rangeUpToDay(days * DAY_MS, nowMs);
  const withValues = kind === 'application' && values !== 'none';
  return {
    kind,
    id,
    name,
    range: kind === 'board' ? (range ?? null) : isRanged && days !== 0 ? chosen : null,
    withValues,
    entities: withValues && values === 'chosen' ? (entities ?? null) : null,
    body: body ?? null,
  };
}

/** A date in UTC, like the days of a plan. */
const day = (ms: number): string => formatDayOfYear(ms, 'UTC');

/** `23 Oct to 21 Nov`, with an exclusive end; `of the last 30 days, up to 21 Nov` for a relative range. */
function rangeText({ startMs, endMs, isRelative }: NonNullable<KeepPlan['range']>): string {
  if (isRelative === true) {
    const count = Math.round((endMs - startMs) / DAY_MS);
    return `of the last ${formatCount(count, 'day')}, up to ${day(endMs - 1)}`;
  }
  return `${day(startMs)} to ${day(endMs - 1)}`;
}

/** `catalog, attributes, metrics, values of 3 entities, spans 23 Oct to 21 Nov`. */
export function whatIsKept({ kind, range, withValues, entities }: KeepPlan): string {
  switch (kind) {
    case 'application': {
      const count = entities?.length ?? null;
      const values = count === null ? 'all values' : `values of ${formatCount(count, 'entity', 'entities')}`;
      return [
        'catalog, attributes, metrics',
        ...(withValues ? [values] : []),
        ...(range === null ? [] : [`spans ${rangeText(range)}`]),
      ].join(', ');
    }
    case 'dataset':
      return 'items, schema, scores';
    case 'experiment':
      return 'results, metrics';
    case 'model':
      return 'schema, metrics, environments, baselines, alert rules';
    case 'alert-rule':
      return range === null ? 'fields, model' : `records ${rangeText(range)}`;
    case 'chart':
      return 'values, metrics';
    case 'board':
      return range === null ? 'values of all charts' : `values of all charts, firings ${rangeText(range)}`;
  }
}

interface Completeness {
  isWhole: boolean;
  text: string;
  /** Stored share from 0 to 1, if the content is incomplete. */
  share: number;
  isGap: boolean;
}

/** How much of an entry is stored. The content stays readable while it is read again. */
export function completenessOf({
  state,
  counts,
  reading,
}: Pick<Kept, 'state' | 'counts' | 'reading'>): Completeness {
  const { questions, read, failed, rows } = counts;
  const lists = `${formatNumber(read)} of ${formatCount(questions, 'list')}`;
  if (state === 'done' && failed === 0 && read === questions)
    return { isWhole: true, text: `${formatCount(rows, 'row')}, complete`, share: 1, isGap: false };
  const total = reading?.totalRows ?? 0;
  const share = questions === 0 ? 0 : (read + (total === 0 ? 0 : (reading?.rows ?? 0) / total)) / questions;
  const isGap = state === 'done' || state === 'paused';
  return { isWhole: false, text: `${lists} · ${formatCount(rows, 'row')}`, share: Math.min(1, share), isGap };
}

export const REFRESH_CHOICES: readonly { hours: number | null; title: string }[] = [
  { hours: null, title: 'By hand' },
  { hours: 0, title: 'At each start' },
  { hours: 1, title: 'Every hour' },
  { hours: 6, title: 'Every 6 h' },
  { hours: 24, title: 'Every day' },
  { hours: 168, title: 'Every week' },
];

/** `Every 6 h`, also for intervals that the window does not offer. */
export function refreshText(hours: number | null): string {
  const known = REFRESH_CHOICES.find((choice) => choice.hours === hours);
  return known?.title ?? `Every ${formatNumber(hours ?? 0)} h`;
}

/** Value of the choice without an automatic refresh. */
const BY_HAND = 'hand';

export const refreshValue = (hours: number | null): string => (hours === null ? BY_HAND : String(hours));
export const hoursOfRefresh = (value: string): number | null => (value === BY_HAND ? null : Number(value));

/** The choices, with the interval of an entry that the window does not offer. */
export function refreshOptions(hours: number | null): { value: string; title: string }[] {
  const isOffered = REFRESH_CHOICES.some((choice) => choice.hours === hours);
  const all = isOffered ? REFRESH_CHOICES : [...REFRESH_CHOICES, { hours, title: refreshText(hours) }];
  return all.map((choice) => ({ value: refreshValue(choice.hours), title: choice.title }));
}

/** A notice of the start. `before`: the entry that has kept the same already. */
export function startedText(name: string, before: Kept | null, hours: number | null): string {
  if (before === null) return `Keeping ${name} offline`;
  const text = `${name} was kept already and is read again`;
  return before.refreshHours === hours ? text : `${text}, from now on: ${refreshText(hours).toLowerCase()}`;
}

const SPACE_TITLES: Readonly<Record<SpaceKind, string>> = {
  catalog: 'Catalog',
  spans: 'Spans',
  items: 'Items',
  rest: 'Other content',
};

interface SpacePart {
  id: SpaceKind | 'seen';
  title: string;
  sizeBytes: number;
  /** Share of the whole bar, which stands for kept content plus the limit for cached content. */
  share: number;
}

/** The limit applies only to cached content; kept content comes on top of it. */
export function spaceParts({ kinds, keptBytes, seenBytes, limitBytes }: KeepSpace): SpacePart[] {
  const whole = Math.max(1, keptBytes + Math.max(limitBytes, seenBytes));
  const kept = (['catalog', 'spans', 'items', 'rest'] as const).map((id) => ({
    id,
    title: SPACE_TITLES[id],
    sizeBytes: kinds[id],
    share: kinds[id] / whole,
  }));
  return [...kept, { id: 'seen', title: 'Only opened', sizeBytes: seenBytes, share: seenBytes / whole }];
}

/** `a second`, `a minute`, `a day`. */
function perText(lengthMs: number): string {
  if (lengthMs === 1_000) return 'a second';
  if (lengthMs === 60_000) return 'a minute';
  if (lengthMs === HOUR_MS) return 'an hour';
  return lengthMs === DAY_MS ? 'a day' : `in ${formatDuration(lengthMs)}`;
}

/** `10 of 30 a second, 333 of 1,000 a minute`. */
export function sharesText(shares: readonly KeepShare[]): string {
  return shares
    .map(
      ({ allowed, count, lengthMs }) =>
        `${formatNumber(allowed)} of ${formatNumber(count)} ${perText(lengthMs)}`,
    )
    .join(', ');
}

/** `10 a second, 333 a minute`. */
export function takenText(shares: readonly KeepShare[]): string {
  return shares.map(({ allowed, lengthMs }) => `${formatNumber(allowed)} ${perText(lengthMs)}`).join(', ');
}

/** `20 a second, 667 a minute`: the share that keeping never uses. */
export function freeText(shares: readonly KeepShare[]): string {
  return shares
    .map(({ allowed, count, lengthMs }) => `${formatNumber(count - allowed)} ${perText(lengthMs)}`)
    .join(', ');
}

/** `about 96 MB, 61 requests, 12 s`. */
export function costText({ requests, sizeBytes, durationMs }: KeepEstimate): string {
  const time = durationMs < 1_000 ? 'at once' : formatDuration(durationMs);
  return `about ${formatBytes(sizeBytes)}, ${formatCount(requests, 'request')}, ${time}`;
}

/** The limits that the estimate uses most, the largest share first: `61 requests, 1,000 a minute allowed (6 %)`. */
export function limitTexts({ limits }: KeepEstimate): { operation: string; text: string }[] {
  return limits
    .filter(({ lengthMs }) => lengthMs >= 60_000)
    .toSorted((one, other) => other.requests / other.count - one.requests / one.count)
    .map(({ operation, requests, count, lengthMs }) => ({
      operation,
      text: `${formatCount(requests, 'request')}, ${formatNumber(count)} ${perText(lengthMs)} allowed (${requests / count < 0.01 ? '<1' : formatNumber(Math.round((requests / count) * 100))} %)`,
    }));
}
