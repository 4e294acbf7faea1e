/** The paths of `bench -- growth`, and how their cost grows with the size of the data. Pure. */
import { z } from 'zod';

export const GROWTH_PATHS = ['csv', 'upload', 'library', 'shape', 'mirror', 'versions'] as const;
export type GrowthPath = (typeof GROWTH_PATHS)[number];

/** `peakMb`: the maximum memory of any process so far. Times are in milliseconds, over all processes and threads. */
export const growthStep = z.object({
  step: z.string(),
  ms: z.number(),
  cpuMs: z.number(),
  peakMb: z.number(),
});
export type GrowthStep = z.output<typeof growthStep>;

/** The exponent of growth between two sizes: 1 is linear, 0 is independent of the size. */
export function exponentOf(
  [small, costOfSmall]: readonly [size: number, cost: number],
  [large, costOfLarge]: readonly [size: number, cost: number],
): number {
  return Math.log(costOfLarge / costOfSmall) / Math.log(large / small);
}
