/** Named settings for files with the same columns. They contain names of columns and of the model, never rows. */
import { type Dialect, dialect, WRAPPERS } from './dialect.ts';
import { MAX_REPLACEMENTS } from './repair-options.ts';
import { rowPolicy } from './row-policy.ts';
import {
  BATCH_ROWS,
  COLUMN_NAME_CHARS,
  COLUMN_TYPES,
  type ColumnPlan,
  columnPlan,
  constantColumn,
  ENV_NAME_CHARS,
  ENV_TYPE_CHARS,
  MAX_CONSTANTS,
  MAX_REPAIRS,
  MODEL_NAME_CHARS,
  repair,
  replacement,
  type UploadPlan,
} from './upload-model.ts';
import * as z from './zod.ts';

/** Maximum columns of a stored preset. */
export const MAX_PRESET_COLUMNS = 2_000;

const layoutColumn = z.strictObject({ name: z.string().max(COLUMN_NAME_CHARS), type: z.enum(COLUMN_TYPES) });

export const uploadPreset = z.strictObject({
  /** Columns of the original file, with their types. */
  layout: z.array(layoutColumn).max(MAX_PRESET_COLUMNS),
  /** Changes to how the file is parsed. */
  dialect: dialect.partial(),
  columns: z.array(columnPlan).max(MAX_PRESET_COLUMNS),
  constants: z.array(constantColumn).max(MAX_CONSTANTS),
  repairs: z.array(repair).max(MAX_REPAIRS),
  /** Missing in presets of earlier versions. */
  replacements: z.array(replacement).max(MAX_REPLACEMENTS).default([]),
  model: z.strictObject({ id: z.uuid(), name: z.string().max(MODEL_NAME_CHARS) }),
  envType: z.string().max(ENV_TYPE_CHARS),
  envName: z.string().max(ENV_NAME_CHARS),
  mode: z.enum(['publish', 'update']),
  batchRows: z.int().min(1).max(BATCH_ROWS),
  onBadRow: rowPolicy,
  /** Stored automatically without a name when a file was sent. */
  isAutomatic: z.boolean(),
});
export type UploadPreset = z.infer<typeof uploadPreset>;

type Layout = UploadPreset['layout'];

/** The preset for a sent file; null if the file has more columns than a preset stores. */
export function presetOf(
  plan: UploadPlan,
  { columns }: { columns: readonly Layout[number][] },
  changed: Partial<Dialect>,
  isAutomatic = false,
): UploadPreset | null {
  if (columns.length > MAX_PRESET_COLUMNS) return null;
  const { modelId, modelName, envType, envName, mode, batchRows, onBadRow } = plan;
  const { wrapper } = plan.dialect;
  return {
    layout: columns.map(({ name, type }) => ({ name, type })),
    dialect: { ...changed, ...(wrapper === undefined ? {} : { wrapper }) },
    columns: plan.columns,
    constants: plan.constants ?? [],
    repairs: plan.repairs ?? [],
    replacements: plan.replacements ?? [],
    model: { id: modelId, name: modelName },
    envType,
    envName: envName ?? '',
    ...{ mode, batchRows, onBadRow, isAutomatic },
  };
}

/** The parts of an upload's dialect that also apply to another file with the same layout. */
export function dialectAgain({ dialect: read, setDialect }: UploadPlan): Partial<Dialect> {
  // The cast is safe, because JSON contains no undefined values.
  const { nullWords, wrapper = null, format } = read;
  const again = format === 'csv' ? { nullWords } : { nullWords, wrapper };
  return { ...again, ...(setDialect as Partial<Dialect> | undefined) };
}

/**
 * The parts of a stored dialect, with which its columns are found again. Choices of earlier versions do not say whether
 * the values of an object are columns; they name the object itself if they are not.
 */
export function withStoredWrapper(stored: object, columns: readonly string[]): Partial<Dialect> {
  // The cast is safe, because JSON contains no undefined values.
  const parts = stored as Partial<Dialect>;
  const isKept = parts.wrapper === undefined && WRAPPERS.some((key) => columns.includes(key));
  return isKept ? { ...parts, wrapper: null } : parts;
}

/** The dialect with which a preset reads another file. */
export const dialectOfPreset = ({ dialect: stored, layout }: UploadPreset): Partial<Dialect> =>
  withStoredWrapper(
    stored,
    layout.map(({ name }) => name),
  );

/** Whether the file has the same columns, in any order. */
export function isSameLayout(preset: UploadPreset, columns: readonly { name: string }[]): boolean {
  const names = new Set(preset.layout.map(({ name }) => name));
  return names.size === columns.length && columns.every(({ name }) => names.has(name));
}

/** The suggested columns of a file, with those of the preset applied. */
export function withPreset(proposed: readonly ColumnPlan[], preset: UploadPreset): ColumnPlan[] {
  const kept = new Map(preset.columns.map((column) => [column.source, column]));
  const taken = new Set(preset.columns.map(({ target }) => target));
  return proposed.map((column) => {
    const known = kept.get(column.source);
    if (known !== undefined) {
      const { target, type, reading } = known;
      return { ...column, target, type, ...(reading === undefined ? {} : { reading }) };
    }
    // The target of a column in the preset is not used again for a new column.
    return taken.has(column.target) ? { ...column, target: null } : column;
  });
}

/** Differences between a file and the file that a preset was made for. */
export interface PresetDiff {
  /** Columns missing in the file, with the fields that they filled. */
  missing: { name: string; target: string | null }[];
  added: string[];
  changed: { name: string; before: string; now: string }[];
}

export function presetDiff(preset: UploadPreset, columns: Readonly<Layout>): PresetDiff {
  const before = new Map(preset.layout.map(({ name, type }) => [name, type]));
  const now = new Map(columns.map(({ name, type }) => [name, type]));
  const targets = new Map(preset.columns.map(({ source, target }) => [source, target]));
  return {
    missing: preset.layout
      .filter(({ name }) => !now.has(name))
      .map(({ name }) => ({ name, target: targets.get(name) ?? null })),
    added: columns.filter(({ name }) => !before.has(name)).map(({ name }) => name),
    changed: columns.flatMap(({ name, type }) => {
      const old = before.get(name);
      return old === undefined || old === type ? [] : [{ name, before: old, now: type }];
    }),
  };
}

export function isSameAsBefore({ missing, added, changed }: PresetDiff): boolean {
  return missing.length + added.length + changed.length === 0;
}
