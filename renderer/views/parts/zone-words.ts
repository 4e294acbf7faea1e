import { zoneName } from '../../../electron/shared/zone-time.ts';

/** The zone that was chosen for times without one, for the message about the choice. */
export const zoneWords = (zone: string | undefined): string =>
  zone === undefined ? 'times are sent unchanged' : `times of ${zoneName(zone)}`;
