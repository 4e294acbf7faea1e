/** The time zone of the process: used for messages and typed times of main and of the command line. */
import { SYSTEM_ZONE } from '../shared/settings.ts';
import { systemZone } from '../shared/zone-time.ts';

let ownZone: string | null = null;

/** From now on local time uses this zone; `system` is the initial zone of the process. */
export function useTimeZone(zone: string): void {
  // Untouched until somebody chooses a zone: the system may change its zone while we run.
  if (zone === SYSTEM_ZONE && ownZone === null) return;
  ownZone ??= systemZone();
  process.env['TZ'] = zone === SYSTEM_ZONE ? ownZone : zone;
}
