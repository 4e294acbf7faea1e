/** The choice of how often a job is repeated, next to the time of its first start. Pure. */
import { EVERY_DAY, type RepeatRule, repeatText, WEEKDAYS } from '../../electron/shared/repeat-model.ts';
import { civilAt, momentOf } from '../../electron/shared/zone-time.ts';
import { shownZone } from './format.ts';

export type HowOften = 'never' | 'daily' | 'weekdays' | 'weekly' | 'sync';
/** The suggested hour of a first start. */
const MORNING_HOUR = 7;
const DAYS_AHEAD = 7;

/** The rule with the time of the first start, and its weekday for `weekly`; null without a repeat or a start. */
export function ruleOf(how: HowOften, startAtMs: number | null): RepeatRule | null {
  if (how === 'sync') return { on: 'sync' };
  if (how === 'never' || startAtMs === null) return null;
  const zone = shownZone();
  const { hour, minute, weekday } = civilAt(startAtMs, zone);
  const days = how === 'daily' ? EVERY_DAY : how === 'weekdays' ? WEEKDAYS : [weekday];
  return { on: 'time', days: [...days], hour, minute, zone };
}

/** The choice that this rule comes from. */
export function choiceOf(rule: RepeatRule | null): HowOften {
  if (rule === null) return 'never';
  if (rule.on === 'sync') return 'sync';
  const { length } = rule.days;
  return length === EVERY_DAY.length ? 'daily' : length === WEEKDAYS.length ? 'weekdays' : 'weekly';
}

/** The options of a choice. `isOptional`: the job may also run just once. */
export function repeatOptions(
  startAtMs: number | null,
  isOptional: boolean,
): { value: HowOften; title: string }[] {
  const once = { value: 'never', title: 'Does not repeat' } as const;
  const named = { daily: 'Every day', weekdays: 'Every weekday', weekly: 'Every week', sync: '' };
  const rest = (['daily', 'weekdays', 'weekly', 'sync'] as const).map((value) => {
    const rule = ruleOf(value, startAtMs);
    return { value, title: rule === null ? named[value] : capital(shownRepeat(rule)) };
  });
  return [...(isOptional ? [once] : []), ...rest];
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** The repeat in words: `every weekday at 07:00`. */
export const shownRepeat = (rule: RepeatRule): string => repeatText(rule, shownZone());

/** Seven o'clock on the next weekday, in the display time zone. */
export function suggestedStart(nowMs: number): number {
  const zone = shownZone();
  const { year, month, day, weekday } = civilAt(nowMs, zone);
  for (let ahead = 0; ahead <= DAYS_AHEAD; ahead += 1) {
    const atMs = momentOf({ year, month, day: day + ahead, hour: MORNING_HOUR, minute: 0, second: 0 }, zone);
    if (atMs > nowMs && WEEKDAYS.includes((weekday + ahead) % 7)) return atMs;
  }
  return nowMs + 86_400_000;
}
