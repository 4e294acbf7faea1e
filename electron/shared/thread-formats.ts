/** A person's format for numbers and dates, in every thread of a process that writes them into messages. */
import { writeNumbersAs } from './count-text.ts';
import { writeTimesAs } from './local-time.ts';
import type { Settings } from './settings.ts';

type ThreadFormats = Pick<Settings, 'numberFormat' | 'dateFormat' | 'clock'>;

const KEY = 'spandeck formats';

/** Applies to this thread and, by `share` (Node's `setEnvironmentData`), to threads started later. */
export function setFormats(
  { numberFormat, dateFormat, clock }: ThreadFormats,
  share: (key: string, formats: ThreadFormats) => void,
): void {
  share(KEY, { numberFormat, dateFormat, clock });
  apply({ numberFormat, dateFormat, clock });
}

/**
 * Call first in a thread: takes over the formats of the thread that started it. `shared`: Node's `getEnvironmentData`.
 */
export function takeFormats(shared: (key: string) => unknown): void {
  // Trusted: only `setFormats` in this program sets it.
  const given = shared(KEY) as ThreadFormats | undefined;
  if (given !== undefined) apply(given);
}

function apply({ numberFormat, dateFormat, clock }: ThreadFormats): void {
  writeNumbersAs(numberFormat);
  writeTimesAs(dateFormat, clock === '12');
}
