/** Schemas of experiments (SERVICE.md F10). The field names of a result are not published, so all fields are kept. */
import * as z from '../../shared/zod.ts';
import { optionalText, reference, text } from './parts.ts';

export const experiment = z.looseObject({
  id: text,
  name: text,
  description: optionalText,
  metadata: z.record(z.string(), z.unknown()).nullish(),
  status: optionalText,
  error_reason: optionalText,
  error_message: optionalText,
  traceback: optionalText,
  duration_ms: z.number().nullish(),
  dataset: reference,
  application: reference,
  project: reference,
  created_at: optionalText,
  updated_at: optionalText,
});

/** An answer whose fields are not published. */
export const openAnswer = z.looseObject({});
export const experimentResult = z.looseObject({});

const rowOfNote = z.looseObject({
  experiment_item_id: optionalText,
  dataset_item_id: optionalText,
  inputs: z.record(z.string(), z.unknown()).nullish(),
  flags: z
    .array(
      z.looseObject({
        evaluator_name: optionalText,
        value: z.number().nullish(),
        label: optionalText,
        reasoning: optionalText,
      }),
    )
    .nullish(),
});
export const experimentRows = z.looseObject({
  top: z.array(rowOfNote).nullish(),
  bottom: z.array(rowOfNote).nullish(),
});
