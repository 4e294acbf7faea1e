/** How a person wants numbers and dates to be written, in every thread of a process that writes them into messages. */
import { writeNumbersAs } from './count-text.ts';
import { writeTimesAs } from './local-time.ts';
import type { Settings } from './settings.ts';

type ThreadFormats = Pick<Settings, 'numberFormat' | 'dateFormat' | 'clock'>;

const KEY = 'spandeck formats';

/** For this thread, and by `share` (Node's `setEnvironmentData`) for those that it starts from now on. */
export function setFormats(
  { numberFormat, dateFormat, clock }: ThreadFormats,
  share: (key: string, formats: ThreadFormats) => void,
): void {
  share(KEY, { numberFormat, dateFormat, clock });
  apply({ numberFormat, dateFormat, clock });
}

/** To be called first in a thread: as the thread that started it was told. `shared`: Node's `getEnvironmentData`. */
export function takeFormats(shared: (key: string) => unknown): void {
  // Set by `setFormats` alone, in this program.
  const given = shared(KEY) as ThreadFormats | undefined;
  if (given !== undefined) apply(given);
}

function apply({ numberFormat, dateFormat, clock }: ThreadFormats): void {
  writeNumbersAs(numberFormat);
  writeTimesAs(dateFormat, clock === '12');
}
