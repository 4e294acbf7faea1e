/** Battery and network of the computer, and the starts that wait for a better state of them. Pure. */
import * as z from './zod.ts';

/** State of the computer; a field is null if neither the system nor the window states it. */
export interface PowerState {
  isOnBattery: boolean | null;
  /** From 0 to 1. */
  charge: number | null;
  /** Traffic costs money or is limited, as stated by the system or a person. */
  isMetered: boolean | null;
}
export const UNKNOWN_POWER: PowerState = { isOnBattery: null, charge: null, isMetered: null };

/** State that only the window knows: Chromium knows the charge and the kind of network. */
export const powerReport = z.strictObject({
  isOnBattery: z.boolean().nullable(),
  charge: z.number().min(0).max(1).nullable(),
  isMetered: z.boolean().nullable(),
});

/**
 * Readings that may start. `own`: only those that a person starts. `above-30`: all of them down to a charge of 30 %,
 * and below that only those that a person starts.
 */
export interface PowerRules {
  onBattery: 'all' | 'own' | 'above-30';
  onMetered: 'all' | 'own';
}

const LOW_CHARGE = 0.3;

/**
 * Why planned readings wait, and until when: `on battery, until the computer is plugged in`. Null if they may start, or
 * if the state is unknown.
 */
export function heldBy(
  { isOnBattery, charge, isMetered }: PowerState,
  { onBattery, onMetered }: PowerRules,
): string | null {
  if (isOnBattery === true && onBattery === 'own') return 'on battery, until the computer is plugged in';
  if (isOnBattery === true && onBattery === 'above-30' && charge !== null && charge < LOW_CHARGE)
    return `${Math.floor(charge * 100)} % charge, until the computer is plugged in`;
  return isMetered === true && onMetered === 'own'
    ? 'on a metered network, until there is another one'
    : null;
}

/** Example: `On battery, 80 % charge.` */
export function batteryText({ isOnBattery, charge }: PowerState): string {
  const source = isOnBattery === null ? 'Power: unknown' : isOnBattery ? 'On battery' : 'Plugged in';
  const left = charge === null || isOnBattery !== true ? '' : `, ${Math.floor(charge * 100)} % charge`;
  return `${source}${left}.`;
}

/** Example: `Metered network: unknown.` */
export const networkText = ({ isMetered }: PowerState): string =>
  `Metered network: ${isMetered === null ? 'unknown' : isMetered ? 'yes' : 'no'}.`;
