/** Rules for repeating a job, and their texts. Pure. */
import { AppError } from './errors.ts';
import * as z from './zod.ts';
import { isZone, zoneName } from './zone-time.ts';

/** 0 is Sunday, as in `Civil`. */
const weekday = z.int().min(0).max(6);

export const repeatRule = z.discriminatedUnion('on', [
  z.strictObject({
    on: z.literal('time'),
    /** In ascending order, without duplicates. */
    days: z
      .array(weekday)
      .min(1)
      .max(7)
      .refine(isAscending, 'Expected weekdays in ascending order, each once.'),
    hour: z.int().min(0).max(23),
    minute: z.int().min(0).max(59),
    /** The zone of the time, such as `Europe/Berlin`. */
    zone: z.string().max(100).refine(isZone, 'Expected the name of a time zone, such as Europe/Berlin.'),
  }),
  /** Repeats after each reading of data for offline use, even if parts could not be read. */
  z.strictObject({ on: z.literal('sync') }),
]);
export type RepeatRule = z.infer<typeof repeatRule>;

/** The repeat of a job. It belongs to the last run, which is planned, running or paused and has no successor yet. */
export const repeat = z.strictObject({
  rule: repeatRule,
  /** Wall time. Only readings for offline use after this time start the next run. */
  sinceMs: z.number(),
  /** Number of consecutive failed runs. */
  failures: z.int().min(0),
  /** No run is planned until a person resumes it. */
  isPaused: z.boolean(),
  /** The id of the next run; null until this one has ended. */
  nextId: z.string().nullable(),
});
export type Repeat = z.infer<typeof repeat>;

const IS_OVER: ReadonlySet<string> = new Set(['done', 'cancelled']);

/** The repeat of a job if no other run has followed it; otherwise null. */
export function activeRepeat(job: { state: string; repeat?: Repeat | null | undefined }): Repeat | null {
  const { repeat: own = null, state } = job;
  return own?.nextId === null && !IS_OVER.has(state) ? own : null;
}

const wallTime = z.int().min(0).max(8_640_000_000_000_000);
export const repeatChange = z.discriminatedUnion('type', [
  /** `startAtMs` is the wall time of the first run; null: as the rule says. */
  z.strictObject({ type: z.literal('set'), rule: repeatRule, startAtMs: wallTime.nullable() }),
  z.strictObject({ type: z.enum(['pause', 'resume', 'end']) }),
]);
export type RepeatChange = z.infer<typeof repeatChange>;

export const EVERY_DAY: readonly number[] = [0, 1, 2, 3, 4, 5, 6];
export const WEEKDAYS: readonly number[] = [1, 2, 3, 4, 5];
const DAY_NAMES = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
const TYPED = /^(?:every )?([a-z]+?)s?,? (?:at )?(\d{1,2}):(\d{2})$/i;

function isAscending(days: readonly number[]): boolean {
  return days.every((day, at) => at === 0 || day > (days[at - 1] ?? day));
}

/**
 * Examples: `every weekday at 07:00`, `after each sync`. `zone`: the zone in which times are shown; the text names the
 * zone of the rule if it is another one.
 */
export function repeatText(rule: RepeatRule, zone: string): string {
  if (rule.on === 'sync') return 'after each sync';
  const { days, hour, minute } = rule;
  const time = `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
  return `every ${daysText(days)} at ${time}${rule.zone === zone ? '' : ` (${zoneName(rule.zone)})`}`;
}

function daysText(days: readonly number[]): string {
  const text = days.join();
  if (text === EVERY_DAY.join()) return 'day';
  if (text === WEEKDAYS.join()) return 'weekday';
  return days.map((day) => DAY_NAMES[day] ?? '').join(' and ');
}

/**
 * Reads a typed rule: `daily 07:00`, `weekdays 07:00`, `monday 07:00`, `after sync`. Throws INVALID_ARGUMENT for
 * anything else.
 */
export function parseRepeat(text: string, zone: string): RepeatRule {
  const typed = text.trim();
  if (/^after (?:each )?sync$/i.test(typed)) return { on: 'sync' };
  const [, name = '', hour, minute] = TYPED.exec(typed) ?? [];
  const parsed = repeatRule.safeParse({
    ...{ on: 'time', days: daysOf(name.toLowerCase()), zone },
    ...{ hour: Number(hour ?? Number.NaN), minute: Number(minute ?? Number.NaN) },
  });
  if (parsed.success) return parsed.data;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--repeat expects "daily 07:00", "weekdays 07:00", a day such as "monday 07:00", or "after sync", got "${text}".`,
  );
}

function daysOf(name: string): readonly number[] {
  if (name === 'daily' || name === 'day') return EVERY_DAY;
  if (name === 'weekday') return WEEKDAYS;
  const day = DAY_NAMES.findIndex((each) => each.toLowerCase() === name);
  return day === -1 ? [] : [day];
}
