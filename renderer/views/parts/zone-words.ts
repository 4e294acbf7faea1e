import { zoneName } from '../../../electron/shared/zone-time.ts';

/** The chosen zone for times without one, for the message about an action. */
export const zoneWords = (zone: string | undefined): string =>
  zone === undefined ? 'times are sent as they stand' : `times of ${zoneName(zone)}`;
