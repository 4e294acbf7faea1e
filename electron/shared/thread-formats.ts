/** A person's format for numbers and dates, in all threads of a process that write messages. */
import { followNumbers } from './count-text.ts';
import { followTimes } from './local-time.ts';
import type { Settings } from './settings.ts';
import { DATE_FORMATS, NUMBER_FORMATS } from './value-formats.ts';

type ThreadFormats = Pick<Settings, 'numberFormat' | 'dateFormat' | 'clock'>;

const KEY = 'spandeck formats';

/**
 * Memory shared with all threads: the indices of the two formats in their tables, and whether the clock has twelve
 * hours.
 */
const formats = new Int32Array(new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT));

/**
 * Sets the formats of this thread and of all threads that are running or start later. `share`: Node's
 * `setEnvironmentData`, which passes the memory to new threads.
 */
export function setFormats(
  { numberFormat, dateFormat, clock }: ThreadFormats,
  share: (key: string, formats: Int32Array) => void,
): void {
  formats[0] = NUMBER_FORMATS.findIndex(({ value }) => value === numberFormat);
  formats[1] = DATE_FORMATS.findIndex(({ value }) => value === dateFormat);
  formats[2] = clock === '12' ? 1 : 0;
  share(KEY, formats);
  follow(formats);
}

/**
 * Makes a thread use the formats of the process; call it first in the thread. `shared`: Node's `getEnvironmentData`.
 */
export function takeFormats(shared: (key: string) => unknown): void {
  // Trusted, because only `setFormats` in this program sets it.
  const given = shared(KEY) as Int32Array | undefined;
  if (given !== undefined) follow(given);
}

function follow(given: Int32Array): void {
  followNumbers(() => (NUMBER_FORMATS[given[0] ?? 0] ?? NUMBER_FORMATS[0]).value);
  followTimes(() => ({
    format: (DATE_FORMATS[given[1] ?? 0] ?? DATE_FORMATS[0]).value,
    hasTwelveHours: given[2] === 1,
  }));
}
