/** Access keys and users (SERVICE.md F13). */
import * as z from '../../shared/zod.ts';
import { optionalText, person, reference, stamps, text } from './parts.ts';

/** No answer contains the secret. */
export const accessKey = z.looseObject({
  key_id: text,
  name: optionalText,
  /** The last characters of the key. */
  key_suffix: optionalText,
  expires_at: optionalText,
  last_used_at: optionalText,
  user: person,
  organization: reference,
  ...stamps,
});

const membership = z.looseObject({ name: optionalText, role: optionalText }).nullish();
export const user = z.looseObject({
  id: text,
  username: optionalText,
  first_name: optionalText,
  last_name: optionalText,
  email: optionalText,
  org: membership,
  projects: z.array(membership).nullish(),
  activity: z.looseObject({ last_login_time: optionalText }).nullish(),
});
