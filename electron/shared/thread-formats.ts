/** A person's format for numbers and dates, in every thread of a process that writes them into messages. */
import { writeNumbersAs } from './count-text.ts';
import { writeTimesAs } from './local-time.ts';
import type { Settings } from './settings.ts';

export type ThreadFormats = Pick<Settings, 'numberFormat' | 'dateFormat' | 'clock'>;

const KEY = 'spandeck formats';

let current: ThreadFormats | null = null;

/** The formats that were applied last in this thread; null before the first. */
export const currentFormats = (): ThreadFormats | null => current;

/** Applies to this thread and, by `share` (Node's `setEnvironmentData`), to threads started later. */
export function setFormats(
  { numberFormat, dateFormat, clock }: ThreadFormats,
  share: (key: string, formats: ThreadFormats) => void,
): void {
  share(KEY, { numberFormat, dateFormat, clock });
  applyFormats({ numberFormat, dateFormat, clock });
}

/**
 * Call first in a thread: takes over the formats of the thread that started it. `shared`: Node's `getEnvironmentData`.
 */
export function takeFormats(shared: (key: string) => unknown): void {
  // Trusted: only `setFormats` in this program sets it.
  const given = shared(KEY) as ThreadFormats | undefined;
  if (given !== undefined) applyFormats(given);
}

/** Applies formats in this thread alone, e.g. those that reach a running thread with a message. */
export function applyFormats(formats: ThreadFormats): void {
  const { numberFormat, dateFormat, clock } = formats;
  current = formats;
  writeNumbersAs(numberFormat);
  writeTimesAs(dateFormat, clock === '12');
}
