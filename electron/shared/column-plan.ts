import { COLUMN_TYPES, type ColumnPlan, type PreviewColumn, type UploadPlan } from './upload-model.ts';

/** The required fields of a model's schema column (SERVICE.md F7.5). */
export interface SchemaColumn {
  name: string;
  data_type?: string | null | undefined;
}

/**
 * Suggests a target for each column of a file. Names match exactly, or else ignoring case, spaces, `_`, `-`, `.` and
 * Unicode forms (Macs write é as two characters). The type in the schema then takes precedence over the guessed one. A
 * column missing in the schema is left out; if the model has no schema, every column keeps its own name.
 */
export function planColumns(
  columns: readonly Pick<PreviewColumn, 'name' | 'type'>[],
  schema: readonly SchemaColumn[],
): ColumnPlan[] {
  const exact = new Map(schema.map((column) => [column.name, column]));
  const loose = new Map(schema.map((column) => [looseName(column.name), column]));
  const taken = new Set<string>();
  const match = (found: SchemaColumn | undefined) => {
    if (found === undefined || taken.has(found.name)) return undefined;
    taken.add(found.name);
    return found;
  };
  // Exact names first, so that a loose match never takes the place of a later exact one.
  const matched = columns.map(({ name }) => match(exact.get(name)));
  return columns.map(({ name, type }, index) => {
    if (schema.length === 0) return { source: name, target: name, type };
    const found = matched[index] ?? match(loose.get(looseName(name)));
    return { source: name, target: found?.name ?? null, type: schemaType(found) ?? type };
  });
}

function looseName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_.-]+/g, '');
}

function schemaType(column: SchemaColumn | undefined): ColumnPlan['type'] | null {
  const text = column?.data_type?.toLowerCase();
  return COLUMN_TYPES.find((type) => type === text) ?? null;
}

/** The plan with the column decisions from the whole file. */
export function withDecided(plan: UploadPlan, decided: readonly ColumnPlan[]): UploadPlan {
  const bySource = new Map(decided.map((column) => [column.source, column]));
  const columns = plan.columns.map((column) => bySource.get(column.source) ?? column);
  const known = new Set(plan.columns.map(({ source }) => source));
  return { ...plan, columns: [...columns, ...decided.filter(({ source }) => !known.has(source))] };
}
