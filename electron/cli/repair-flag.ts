/** `--repair`: how values that do not fit are repaired. The parser and the texts are shared by uploads and items. */
import { checkedRows } from '../shared/checked-rows.ts';
import { AppError } from '../shared/errors.ts';
import {
  MAX_REPLACEMENTS,
  PROBLEM_KINDS,
  REPAIR_KINDS,
  REPAIRS_OF,
  type RepairKind,
} from '../shared/repair-options.ts';
import type {
  ColumnPlan,
  DryRun,
  ProblemGroup,
  Repair,
  Replacement,
  UploadPlan,
} from '../shared/upload-model.ts';
import type { UploadPreset } from '../shared/upload-preset.ts';
import { counted, numberText } from './human-text.ts';
import { replacementOf } from './replacement-flag.ts';
import { quotedForShell } from './terminal-text.ts';
import { choice, type Given, split } from './value-flags.ts';

export const REPAIR_OPTION = { repair: { type: 'string', multiple: true } } as const;

/** The repairs from the preset and from the flags, which take precedence. Throws INVALID_ARGUMENT. */
export function repairsIn(
  args: Given,
  columns: readonly { source: string }[],
  kept: Pick<UploadPreset, 'repairs' | 'replacements'> | undefined,
): Pick<UploadPlan, 'repairs' | 'replacements'> {
  const sources = columns.map(({ source }) => source);
  const repairs = repairsOf(args, sources);
  const replacements = replacementsOf(args, sources);
  const isOther = ({ source, problem }: Repair) =>
    !repairs.some((each) => each.source === source && each.problem === problem);
  const isOtherValue = ({ source, value }: Replacement) =>
    !replacements.some((each) => each.source === source && each.value === value);
  const all = {
    repairs: [...(kept?.repairs ?? []).filter(isOther), ...repairs],
    replacements: [...(kept?.replacements ?? []).filter(isOtherValue), ...replacements],
  };
  if (all.replacements.length > MAX_REPLACEMENTS) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Expected at most ${MAX_REPLACEMENTS} replaced values, got ${all.replacements.length}.`,
    );
  }
  return {
    ...(all.repairs.length === 0 ? {} : { repairs: all.repairs }),
    ...(all.replacements.length === 0 ? {} : { replacements: all.replacements }),
  };
}

/** The type of values after a repair. */
const TYPE_OF_REPAIR: Readonly<Partial<Record<RepairKind, ColumnPlan['type']>>> = {
  ...{ 'decimal-comma': 'float', thousands: 'float', currency: 'float', parentheses: 'float' },
  ...{ 'trailing-sign': 'float', percent: 'float', 'percent-share': 'float' },
  ...{
    'true-false': 'bool',
    'day-first': 'timestamp',
    'month-name': 'timestamp',
    'compact-date': 'timestamp',
  },
};

/**
 * The columns, with a new type for text columns that are repaired: the type that a repair for the column produces
 * (`--repair COLUMN=KIND`), or a number if repairs for all columns (`--repair KIND`) turn all sampled texts into numbers,
 * which `areNumbersBy` decides.
 */
export function typedByRepairs<Column extends { source: string; type: ColumnPlan['type'] }>(
  args: Given,
  columns: readonly Column[],
  areNumbersBy: (kinds: readonly RepairKind[], column: Column) => boolean,
): Column[] {
  const sources = columns.map(({ source }) => source);
  const types = new Map<string, ColumnPlan['type']>();
  const ofAll: RepairKind[] = [];
  for (const typed of args.texts('repair')) {
    if (replacementOf(typed, sources) !== null) continue;
    const { column, value } = split(typed, sources);
    const kind = choice('repair', REPAIR_KINDS, value);
    const type = TYPE_OF_REPAIR[kind];
    // A repair that produces no type, such as `null-word`, keeps the type from another repair of the column.
    if (column !== null && type !== undefined) types.set(column, type);
    if (column === null && type === 'float') ofAll.push(kind);
  }
  return columns.map((column) => {
    if (column.type !== 'str' && column.type !== 'category') return column;
    const ofNumbers = areNumbersBy(ofAll, column) ? 'float' : column.type;
    return { ...column, type: types.get(column.source) ?? ofNumbers };
  });
}

/** Example: `1,200 rows = 1,196 good + 4 unusual + 0 bad`. */
export function sumText(run: Pick<DryRun, 'rows' | 'badRows' | 'unusualRows'>): string {
  const { good, unusual, bad } = checkedRows(run);
  const parts = [`${numberText(good)} good`, `${numberText(unusual)} unusual`, `${numberText(bad)} bad`];
  return `${counted(run.rows, 'row')} = ${parts.join(' + ')}`;
}

/** Replacements from `--repair COLUMN:VALUE=REPLACEMENT`. Throws INVALID_ARGUMENT. */
function replacementsOf(args: Given, sources: readonly string[]): Replacement[] {
  return args.texts('repair').flatMap((typed) => replacementOf(typed, sources) ?? []);
}

/** Repairs from `--repair KIND` or `--repair COLUMN=KIND`. Throws INVALID_ARGUMENT. */
function repairsOf(args: Given, sources: readonly string[]): Repair[] {
  return args.texts('repair').flatMap((typed) => {
    if (replacementOf(typed, sources) !== null) return [];
    const { column, value } = split(typed, sources);
    const kind = choice('repair', REPAIR_KINDS, value);
    const problems = PROBLEM_KINDS.filter((problem) => kind === 'null' || REPAIRS_OF[problem].includes(kind));
    return (column === null ? sources : [column]).flatMap((source) =>
      problems.map((problem) => ({ source, problem, kind })),
    );
  });
}

const MAX_LINES = 20;

/**
 * The possible repairs in words, e.g. `amount, 3 rows such as 5%: --repair amount=percent sends 5, --repair
 * amount=percent-share sends 0.05.`
 */
export function offeredRepairs(problems: readonly ProblemGroup[]): string[] {
  const open = problems.filter(({ isSent, rows, repaired }) => !isSent && repaired < rows);
  const lines = open.flatMap(({ source, options, examples, rows, repaired, note }) => {
    const [example] = examples;
    const choices = options.flatMap((kind) => {
      const after = example?.after[kind];
      return kind === 'null' || after === undefined
        ? []
        : [`--repair ${quotedForShell(`${source}=${kind}`)} sends ${after ?? 'no value'}`];
    });
    if (example === undefined || choices.length === 0) return [];
    const said = note === '' ? '' : ` ${note}`;
    return [
      `${source}, ${counted(rows - repaired, 'row')} such as ${example.before}: ${choices.join(', ')}.${said}`,
    ];
  });
  const rest = lines.length - MAX_LINES;
  return rest > 0
    ? [...lines.slice(0, MAX_LINES), `${counted(rest, 'more kind', 'more kinds')} of values can be mended.`]
    : lines;
}
