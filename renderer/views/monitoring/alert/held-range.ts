/** The range that a view of alerts shows: of its tab, and remembered for the time without the service. */
import {
  type AlertRange,
  isBehind,
  isPreset,
  type PresetId,
  presetRange,
  rangeOfParams,
  rangeToParams,
} from '../../../lib/monitoring/alert-range.ts';
import { isObject } from '../../../lib/records.ts';
import { app } from '../../../state/app.svelte.ts';
import type { Tab } from '../../../state/tabs.svelte.ts';
import { setParams } from '../../parts/params.ts';

const KEY = 'alert-ranges';
/** Of so many rules the last range is remembered. */
const MOST_KEPT = 200;

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

/** Shows a range; a stored answer for it is found again by it. */
export function chooseRange(tab: Tab, subject: string, range: AlertRange): void {
  const params = rangeToParams(range);
  if (Object.entries(params).some(([name, value]) => tab.params[name] !== value)) setParams(tab, params);
  const others = keptRanges().filter(([key]) => key !== subject);
  app.keep.set(KEY, Object.fromEntries([...others, [subject, params]].slice(-MOST_KEPT)));
}

export interface RangeRules {
  /** What is looked at: the id of a rule, or `summary`. */
  subject: string;
  preset: PresetId;
  grainMs: number;
}

/**
 * The range to show now. Without the service the one last looked at, for which there are answers; with it, one up to
 * now.
 */
export function currentRange(tab: Tab, connectionId: string, rules: RangeRules, nowMs: number): AlertRange {
  const own = rangeOfParams(tab.params);
  const isOnline = app.network.phaseOf(connectionId) === 'online';
  const kept = own ?? rangeOfParams(textParams(keptRanges().find(([key]) => key === rules.subject)?.[1]));
  if (kept !== null && (!isOnline || !isBehind(kept, nowMs))) return kept;
  return presetRange(kept !== null && isPreset(kept.id) ? kept.id : rules.preset, nowMs, rules.grainMs);
}
