/**
 * Milliseconds since the computer started, fractions included: only goes forward, does not follow the wall
 * clock, and is the same in every process. It may stand still while the computer sleeps.
 */
export function bootMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
