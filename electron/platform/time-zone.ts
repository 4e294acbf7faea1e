/** The time zone of the process, used for messages and typed times of main and of the command line. */
import { SYSTEM_ZONE } from '../shared/settings.ts';
import { systemZone } from '../shared/zone-time.ts';

let ownZone: string | null = null;

/** Makes local time use this zone; `system` is the initial zone of the process. */
export function useTimeZone(zone: string): void {
  // Nothing is set until somebody chooses a zone, because the system may change its zone while the process is running.
  if (zone === SYSTEM_ZONE && ownZone === null) return;
  ownZone ??= systemZone();
  process.env['TZ'] = zone === SYSTEM_ZONE ? ownZone : zone;
}
