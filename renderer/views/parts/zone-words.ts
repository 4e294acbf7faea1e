import { zoneName } from '../../../electron/shared/zone-time.ts';

/** The choice of a zone for times without one, for the message of an act. */
export const zoneWords = (zone: string | undefined): string =>
  zone === undefined ? 'times are sent as they stand' : `times of ${zoneName(zone)}`;
