/** The time zone of the process: what messages and typed times of main and of the command line are in. */
import { SYSTEM_ZONE } from '../shared/settings.ts';
import { systemZone } from '../shared/zone-time.ts';

let ownZone: string | null = null;

/** From now on local time is that of this zone; `system` is what the process began with. */
export function useTimeZone(zone: string): void {
  // Untouched as long as nobody has chosen: the system may change its zone while we run.
  if (zone === SYSTEM_ZONE && ownZone === null) return;
  ownZone ??= systemZone();
  process.env['TZ'] = zone === SYSTEM_ZONE ? ownZone : zone;
}
