/** The figures in `docs/benchmarks.md`: the latest ones of each benchmark, all measured on one computer. Pure. */
import { z } from 'zod';
import type { BenchResult } from './bench-result.ts';

export const machineSchema = z.object({
  cpu: z.string(),
  cores: z.int(),
  system: z.string(),
  node: z.string(),
});
export type Machine = z.output<typeof machineSchema>;

/** JSON has no NaN, so it stores null for a figure that could not be measured. */
const stored = z.object({
  name: z.string(),
  figure: z.number().nullable(),
  unit: z.string(),
  limit: z.number().nullable(),
  ratio: z.number().nullable(),
  isPeer: z.boolean().optional(),
  note: z.string(),
});
const figuresFile = z.object({
  machine: machineSchema,
  results: z.record(z.string(), z.array(stored)),
  /** The day of the measurement by benchmark, as YYYY-MM-DD in UTC. */
  measuredOn: z.record(z.string(), z.iso.date()),
});
export type Figures = z.output<typeof figuresFile>;
type Stored = z.output<typeof stored>;

/** Reads `test/bench/figures.json`. Throws a ZodError for any other file. */
export const readFigures = (text: string): Figures => figuresFile.parse(JSON.parse(text));

/** The figures with those of a run replaced. Earlier figures from another computer are left out. */
export function withRun(
  before: Figures | null,
  machine: Machine,
  results: Readonly<Record<string, readonly BenchResult[]>>,
  day: string,
): Figures {
  const kept = before !== null && JSON.stringify(before.machine) === JSON.stringify(machine) ? before : null;
  const now = Object.keys(results);
  const sorted = <T>(record: Record<string, T>) =>
    Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return figuresFile.parse({
    machine,
    results: sorted({ ...kept?.results, ...JSON.parse(JSON.stringify(results)) }),
    measuredOn: sorted({ ...kept?.measuredOn, ...Object.fromEntries(now.map((name) => [name, day])) }),
  });
}

/** A figure as text; `-` if there is none, `cannot` for NaN. */
export function readable(value: number | null): string {
  if (value === null) return '-';
  if (Number.isNaN(value)) return 'cannot';
  if (Number.isInteger(value)) return value.toLocaleString('en-US');
  return value.toPrecision(Math.abs(value) >= 1_000 ? 5 : 4);
}

/** Start of the note of a figure that should be large. */
const MORE_IS_BETTER = 'more is better';

function isMissed(result: Stored): boolean {
  const { figure, limit, isPeer, note } = result;
  if (figure === null || limit === null || isPeer === true) return false;
  return note.startsWith(MORE_IS_BETTER) ? figure < limit : figure > limit;
}

const withUnit = (value: number, unit: string) => `${readable(value)} ${unit}`.trim();

/** The tables of the page in Markdown. */
export function figureTables({ machine, results, measuredOn }: Figures): string {
  const escaped = (cell: string) => cell.replaceAll('|', String.raw`\|`);
  const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
    [head, head.map(() => '---'), ...rows.map((cells) => cells.map(escaped))]
      .map((cells) => `| ${cells.join(' | ')} |`)
      .join('\n');
  const cellsOf = ({ name, figure, unit, limit, note }: Stored) => [
    name,
    figure === null ? 'cannot' : withUnit(figure, unit),
    limit === null ? '' : withUnit(limit, unit),
    note,
  ];
  const missed = Object.entries(results).flatMap(([bench, rows]) =>
    rows.filter(isMissed).map((row) => [`\`${bench}\``, ...cellsOf(row).slice(0, 3)]),
  );
  const parts = Object.entries(results).map(
    ([bench, rows]) =>
      `## ${bench}\n\nMeasured on ${measuredOn[bench] ?? 'an unknown day'}.\n\n${table(['what', 'figure', 'limit', 'note'], rows.map(cellsOf))}`,
  );
  return [
    `${machine.cores} cores of ${machine.cpu}, system ${machine.system}, Node ${machine.node}.`,
    '## Missed limits',
    missed.length === 0 ? 'None.' : table(['benchmark', 'what', 'figure', 'limit'], missed),
    ...parts,
  ].join('\n\n');
}
