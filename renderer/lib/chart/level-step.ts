/** Steps for moving a level on a value axis. Pure. */

/** Minimum number of steps over the whole axis. */
const STEPS = 100;

/** 1, 2 or 5 times a power of ten, at most a hundredth of the axis. */
export function levelStep({ min, max }: { min: number; max: number }): number {
  const rough = (max - min) / STEPS;
  if (!Number.isFinite(rough) || rough <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const digit = rough / power;
  return (digit >= 5 ? 5 : digit >= 2 ? 2 : 1) * power;
}

/** The nearest multiple of the step, without rounding errors of floating-point arithmetic. */
export function toStep(value: number, step: number, round: (value: number) => number = Math.round): number {
  return Number((round(value / step) * step).toPrecision(12));
}
