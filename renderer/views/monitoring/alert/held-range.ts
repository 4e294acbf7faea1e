/** The time range of an alert view. It is stored in the tab, and remembered for use while offline. */

import { rangeQuery } from '../../../../electron/shared/alert-record.ts';
import type { ListQuery } from '../../../../electron/shared/model.ts';
import {
  type AlertRange,
  isBehind,
  isPreset,
  type PresetId,
  presetRange,
  rangeOfParams,
  rangeToParams,
} from '../../../lib/monitoring/alert-range.ts';
import { wantedPreset } from '../../../lib/moved-range.ts';
import { isObject } from '../../../lib/records.ts';
import { app } from '../../../state/app.svelte.ts';
import type { ListModel } from '../../../state/list-state.svelte.ts';
import type { Tab } from '../../../state/tabs.svelte.ts';
import { keepReadable, LOADING, type MovingRange, readingOf } from '../../parts/moving-range.svelte.ts';

const KEY = 'alert-ranges';
/** Maximum number of rules whose last range is remembered. */
const MAX_KEPT = 200;

function keptRanges(): [string, unknown][] {
  const kept = app.keep.get(KEY);
  return isObject(kept) ? Object.entries(kept) : [];
}

function textParams(value: unknown): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((each): each is [string, string] => typeof each[1] === 'string'),
  );
}

function remembered(subject: string): AlertRange | null {
  return rangeOfParams(textParams(keptRanges().find(([key]) => key === subject)?.[1]));
}

/** Shows a range that the user chose. */
export function chooseRange(moving: MovingRange, range: AlertRange): void {
  moving.choose(rangeToParams(range));
}

/**
 * Stores the shown range in the tab. After it was read it is also remembered, so that its cached response is found
 * again.
 */
export function takeRange(tab: Tab, { moving, subject }: RangeRules, range: AlertRange): void {
  const params = rangeToParams(range);
  if (Object.entries(params).some(([name, value]) => tab.params[name] !== value)) {
    const before = rangeOfParams(tab.params) ?? remembered(subject);
    if (before === null || before.id !== range.id) moving.start(params);
    else moving.moveTo(params, rangeToParams(before));
  }
  if (moving.isMoved || wantedPreset(tab.params) !== null) return;
  const others = keptRanges().filter(([key]) => key !== subject);
  app.keep.set(KEY, Object.fromEntries([...others, [subject, params]].slice(-MAX_KEPT)));
}

export interface RangeRules {
  connectionId: string;
  moving: MovingRange;
  /** The subject of the view: the id of a rule, or `summary`. */
  subject: string;
  preset: PresetId;
  grainMs: number;
}

/**
 * The range to show now. If the service is unreachable, it is the last one, for which there are cached responses;
 * otherwise a range up to now, unless the service failed to answer for it.
 */
export function currentRange(tab: Tab, rules: RangeRules, nowMs: number): AlertRange {
  const isOnline = app.network.phaseOf(rules.connectionId) === 'online';
  const kept = rangeOfParams(tab.params) ?? remembered(rules.subject);
  const wanted = wantedPreset(tab.params);
  if (kept !== null && (!isOnline || (wanted === null && !isBehind(kept, nowMs)))) return kept;
  const preset = wanted ?? kept?.id;
  const next = presetRange(isPreset(preset) ? preset : rules.preset, nowMs, rules.grainMs);
  const isTried = rangeToParams(next)['end'] === rules.moving.triedEnd;
  return isTried && kept !== null ? kept : next;
}

function isOfRange(query: ListQuery | null, range: AlertRange): boolean {
  const { start_time, end_time } = rangeQuery(range);
  return query?.query['start_time'] === start_time && query.query['end_time'] === end_time;
}

/** Parameters of a list query other than its range. */
function aboutOf(query: ListQuery | null): string {
  const { start_time, end_time, ...about } = query?.query ?? {};
  return JSON.stringify(about);
}

/**
 * Updates the range after each read of a list that is a part of its view. Must be called during component
 * initialization.
 */
export function keepListReadable(
  moving: MovingRange,
  name: string,
  list: Pick<ListModel, 'query' | 'phase' | 'freshness'>,
  range: () => AlertRange,
  isShown: () => boolean = () => true,
): void {
  keepReadable(
    moving,
    () => (isShown() && isOfRange(list.query, range()) ? readingOf(list) : LOADING),
    () => ({ name, about: aboutOf(list.query) }),
  );
}

/** Whether a refresh after an error may request the range up to now again. The range then moves automatically. */
export function movesAgain({ connectionId, moving }: RangeRules): boolean {
  return app.network.phaseOf(connectionId) === 'online' && moving.retry();
}
