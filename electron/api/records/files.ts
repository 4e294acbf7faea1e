/** Uploaded files (SERVICE.md F1.4) and the job that deletes an application. */
import * as z from '../../shared/zod.ts';
import { optionalText, person, stamps, text } from './parts.ts';

export const file = z.looseObject({
  id: text,
  filename: optionalText,
  /** CSV, PARQUET, TAR_GZ */
  type: optionalText,
  /** INITIATED, SUCCESSFUL, FAILED */
  status: optionalText,
  created_by: person,
  updated_by: person,
  ...stamps,
});

export const filePart = z.looseObject({ part_id: text });
export type FilePart = z.infer<typeof filePart>;
