/** Compares the figures of a benchmark with those of an earlier run on the same computer. Pure. */
import { z } from 'zod';
import { type Machine, machineSchema } from './bench-figures.ts';
import type { BenchResult } from './bench-result.ts';

const earlierFile = z.object({
  machine: machineSchema,
  results: z.record(
    z.string(),
    z.array(z.object({ name: z.string(), unit: z.string(), figure: z.number().nullable() })),
  ),
});
export type EarlierRun = z.output<typeof earlierFile>;

/** Reads a file written by `--json`. Throws a ZodError for any other file. */
export const readEarlier = (text: string): EarlierRun => earlierFile.parse(JSON.parse(text));

/** The earlier figure and the change in percent, as `3.2 s, +12 %`; `new` if there was no figure with this unit. */
export function changeText(earlier: EarlierRun, bench: string, { name, unit, figure }: BenchResult): string {
  const before = earlier.results[bench]?.find((each) => each.name === name && each.unit === unit)?.figure;
  if (before === undefined || before === null) return 'new';
  const change = before === 0 ? Number.NaN : 100 * (figure / before - 1);
  const said = Number.isFinite(change)
    ? `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(0)} %`
    : 'no ratio';
  return `${Number(before.toPrecision(4))} ${unit}, ${said}`;
}

/** States how the computer differs from that of the earlier run; null if it does not. */
export function machineChange(before: Machine, now: Machine): string | null {
  const parts = (['cpu', 'cores', 'system', 'node'] as const).filter((part) => before[part] !== now[part]);
  if (parts.length === 0) return null;
  const said = parts.map((part) => `${part} ${before[part]} → ${now[part]}`).join(', ');
  return `The earlier run was on another computer or system: ${said}.`;
}
