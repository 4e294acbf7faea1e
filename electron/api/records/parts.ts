/** Schemas shared by the record schemas. */
import * as z from '../../shared/zod.ts';

export const text = z.string();
export const optionalText = z.string().nullish();
export const optionalNumber = z.number().nullish();
/** A record referenced by another one. */
export const reference = z.looseObject({ id: z.string().nullish(), name: z.string().nullish() }).nullish();
export const stamps = {
  created_at: optionalText,
  updated_at: optionalText,
};
/** The creator or last editor of a record, either as an object or only as a name. */
export const person = z.union([z.string(), z.looseObject({})]).nullish();
