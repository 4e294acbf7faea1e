/** Evaluator rules, and alert rules of applications (SERVICE.md F14 and F15). */
import * as z from '../../shared/zod.ts';
import { optionalNumber, optionalText, person, reference, stamps, text } from './parts.ts';

export const evaluatorRule = z.looseObject({
  id: text,
  name: optionalText,
  evaluator_id: optionalText,
  evaluator_name: optionalText,
  mapped_input_keys: z.record(z.string(), z.unknown()).nullish(),
  /** Its form is not published. */
  filters: z.unknown().optional(),
  outputs: z.array(z.looseObject({ name: optionalText })).nullish(),
  enabled: z.boolean().nullish(),
  sampling_rate: optionalNumber,
  application: reference,
  ...stamps,
});

/** SERVICE.md F15 */
export const genaiAlertRule = z.looseObject({
  id: text,
  name: optionalText,
  metric_name: optionalText,
  critical_threshold: optionalNumber,
  warning_threshold: optionalNumber,
  token_type: z.unknown().optional(),
  attribute_value: z.unknown().optional(),
  evaluator_output_name: optionalText,
  evaluator_output_value: z.unknown().optional(),
  /** The form of an entry is known only for emails. */
  notification_settings: z.array(z.unknown()).nullish(),
  application: reference,
  project: reference,
  created_by: person,
  updated_by: person,
  ...stamps,
});
