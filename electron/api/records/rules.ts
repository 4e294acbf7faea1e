/** Evaluator rules (SERVICE.md F14). */
import { z } from 'zod';
import { optionalNumber, optionalText, reference, stamps, text } from './parts.ts';

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
