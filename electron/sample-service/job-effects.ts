/** The effects of jobs when they end. If an effect fails, the reason is returned, and the job ends in FAILURE. */
import * as z from '../shared/zod.ts';
import { csvRecords } from './csv.ts';
import { eventIssues, eventSchema, eventTimeMs } from './event-values.ts';
import { removeDataset, removeExperiment, type Stores } from './stores.ts';

export const jobEffect = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('delete-events'),
    modelId: z.string(),
    upTo: z.number(),
    ids: z.array(z.string()).nullable(),
    timeRange: z.strictObject({ startMs: z.number(), endMs: z.number() }).nullable(),
  }),
  z.strictObject({ type: z.literal('delete-application'), applicationId: z.string() }),
  z.strictObject({
    type: z.literal('publish-file'),
    modelId: z.string(),
    environmentId: z.string(),
    isProduction: z.boolean(),
    fileId: z.string(),
    /** Time of events of a model without a time column. */
    arrivalMs: z.number(),
  }),
]);
export type JobEffect = z.infer<typeof jobEffect>;
type PublishFile = Extract<JobEffect, { type: 'publish-file' }>;

/** Applies an effect; null on success, otherwise the reason of the failure. */
export function applyEffect(stores: Stores, effect: JobEffect, newId: () => string): string | null {
  switch (effect.type) {
    case 'delete-events':
      stores.events.remove(effect);
      return null;
    case 'delete-application':
      removeApplication(stores, effect.applicationId);
      return null;
    case 'publish-file':
      return publishFile(stores, effect, newId);
  }
}

/** Removes an application with its catalog, its spans, its experiments, and its datasets with their items. */
function removeApplication(stores: Stores, applicationId: string): void {
  for (const experiment of stores.resources.list('experiment', applicationId)) {
    removeExperiment(stores, String(experiment['id']));
  }
  for (const dataset of stores.resources.list('dataset', applicationId)) {
    removeDataset(stores, String(dataset['id']));
  }
  stores.spans.removeApplication(applicationId);
  stores.catalog.removeApplication(applicationId);
  stores.resources.remove('application', applicationId);
}

function publishFile(stores: Stores, effect: PublishFile, newId: () => string): string | null {
  const file = stores.resources.get('file', effect.fileId);
  const model = stores.resources.get('model', effect.modelId);
  if (file === null || model === null) return 'The file or the model is gone.';
  if (file['type'] !== 'CSV')
    return `The sample service reads CSV files only; this one is ${String(file['type'])}.`;
  const schema = eventSchema(model);
  const dataTypes = new Map([...schema.columns].map(([name, column]) => [name, column.data_type ?? null]));
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(stores.files.read(effect.fileId));
    const events = csvRecords(text, dataTypes);
    const bad = events.findIndex((event) => eventIssues(schema, event, 'publish').length > 0);
    if (bad >= 0) return `Line ${bad + 2}: ${eventIssues(schema, events[bad] ?? {}, 'publish').join('; ')}`;
    const { modelId, environmentId, isProduction, arrivalMs } = effect;
    const idOf = (value: unknown): string => (schema.idColumn === null ? newId() : String(value));
    stores.events.add(
      events.map((record) => ({
        id: idOf(record[schema.idColumn ?? '']),
        modelId,
        environmentId,
        isProduction,
        timeMs: eventTimeMs(schema, record) ?? arrivalMs,
        record,
      })),
    );
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
