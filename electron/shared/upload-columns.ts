/** The facts about a model that are needed to check rows before an upload sends them. */
import { COLUMN_TYPES } from './upload-model.ts';
import * as z from './zod.ts';

export const modelFacts = z.strictObject({
  columns: z.array(
    z.strictObject({
      name: z.string(),
      type: z.enum(COLUMN_TYPES).nullable(),
      categories: z.array(z.union([z.string(), z.number(), z.boolean()])).nullable(),
      min: z.number().nullable(),
      max: z.number().nullable(),
      dimensions: z.number().nullable(),
    }),
  ),
  eventIdColumn: z.string().nullable(),
  eventTsColumn: z.string().nullable(),
  eventTsFormat: z.string().nullable(),
  /** Columns that an update may change: targets and metadata. Absent if the model does not name them. */
  updatable: z.array(z.string()).optional(),
});
export type ModelFacts = z.infer<typeof modelFacts>;
/** Warning before an update of events if the schema is unknown. */
export const IDS_NOT_COMPARED =
  'Event ids are not compared with the receipts kept on this computer: only the schema names their column. Make sure that each row names a published event.';
export type ModelColumnFacts = ModelFacts['columns'][number];

/** The model's column of that name: exact, else ignoring case. */
export function findColumn(model: ModelFacts, name: string): ModelColumnFacts | null {
  const wanted = name.trim().toLowerCase();
  return (
    model.columns.find((column) => column.name === name) ??
    model.columns.find((column) => column.name.toLowerCase() === wanted) ??
    null
  );
}

const record = z.looseObject({
  schema: z
    .looseObject({
      columns: z
        .array(
          z.looseObject({
            name: z.string(),
            data_type: z.string().nullish(),
            min: z.number().nullish(),
            max: z.number().nullish(),
            categories: z.array(z.unknown()).nullish(),
            n_dimensions: z.number().nullish(),
          }),
        )
        .nullish(),
    })
    .nullish(),
  spec: z
    .looseObject({ targets: z.array(z.string()).nullish(), metadata: z.array(z.string()).nullish() })
    .nullish()
    .catch(null),
  event_id_col: z.string().nullish(),
  event_ts_col: z.string().nullish(),
  event_ts_format: z.string().nullish(),
});

function columnType(text: string | null | undefined): ModelColumnFacts['type'] {
  const name = (text ?? '').toLowerCase();
  return COLUMN_TYPES.find((type) => type === name) ?? null;
}

/** Reads a model record as sent by the service; null if it has no column list. */
export function readModelFacts(model: unknown): ModelFacts | null {
  const parsed = record.safeParse(model);
  const columns = parsed.success ? parsed.data.schema?.columns : null;
  if (!parsed.success || columns === null || columns === undefined) return null;
  return {
    columns: columns.map((column) => ({
      name: column.name,
      type: columnType(column.data_type),
      categories: readCategories(column.categories),
      min: column.min ?? null,
      max: column.max ?? null,
      dimensions: column.n_dimensions ?? null,
    })),
    eventIdColumn: parsed.data.event_id_col ?? null,
    eventTsColumn: parsed.data.event_ts_col ?? null,
    eventTsFormat: parsed.data.event_ts_format ?? null,
    ...updatableIn(parsed.data.spec),
  };
}

function updatableIn(
  spec: { targets?: string[] | null | undefined; metadata?: string[] | null | undefined } | null | undefined,
): Pick<ModelFacts, 'updatable'> {
  const named = [...(spec?.targets ?? []), ...(spec?.metadata ?? [])];
  return named.length === 0 ? {} : { updatable: named };
}

function readCategories(list: readonly unknown[] | null | undefined): (string | number | boolean)[] | null {
  if (list === null || list === undefined || list.length === 0) return null;
  return list.filter(
    (item): item is string | number | boolean =>
      typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean',
  );
}

export { NOTE_COLUMNS } from './note-columns.ts';

/** Beginning of the note about a model that could not be read this time, although the service may have its schema. */
export const MODEL_UNREAD = 'The model could not be read';

/** Whether a file was read without its model because the model could not be read. `notes`: the notes of the check. */
export function isModelUnread(notes: readonly string[]): boolean {
  return notes.some((note) => note.startsWith(MODEL_UNREAD));
}
