/** Checks texts against the formats that JSON schemas name. Pure. */
import * as z from './zod.ts';

/** Formats that Zod checks. */
const ZOD_FORMATS: Readonly<Record<string, z.ZodType>> = {
  date: z.iso.date(),
  duration: z.iso.duration(),
  // The grammar of browsers: Zod's own one lacks signs such as ! and # before the @.
  email: z.email({ pattern: z.regexes.html5Email }),
  'idn-email': z.email({ pattern: z.regexes.unicodeEmail }),
  hostname: z.hostname(),
  ipv4: z.ipv4(),
  ipv6: z.ipv6(),
  // The standard takes every version and variant.
  uuid: z.guid(),
  guid: z.guid(),
  mac: z.mac(),
  cidr: z.cidrv4(),
  'cidr-v6': z.cidrv6(),
  base64: z.base64(),
  base64url: z.base64url(),
  e164: z.e164(),
  credit_card: z.creditCard(),
  iban: z.iban(),
  jwt: z.jwt(),
  emoji: z.emoji(),
  nanoid: z.nanoid(),
  cuid: z.cuid(),
  cuid2: z.cuid2(),
  ulid: z.ulid(),
  xid: z.xid(),
  ksuid: z.ksuid(),
};
const URL_FORMAT = z.url();

/** RFC 3339, with leap seconds. */
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;
/** Characters of RFC 3986; a percent sign begins an escape. */
const URI_CHARS = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\da-f]{2})*$/i;
/** The same with letters of other scripts (RFC 3987). */
const IRI_CHARS = /^(?:[^\p{Cc}\s"<>\\^`{|}%]|%[\dA-Fa-f]{2})*$/u;
/** A relative reference has no colon before its first slash. */
const RELATIVE = /^[^:/?#]*(?:[/?#]|$)/;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const RELATIVE_POINTER = /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/;

const isUrl = (text: string): boolean => URL_FORMAT.safeParse(text).success;
const isReference = (text: string): boolean => RELATIVE.test(text) || isUrl(text);

const OTHER_FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  time: (text) => TIME.test(text),
  'date-time': isDateTime,
  uri: (text) => URI_CHARS.test(text) && isUrl(text),
  'uri-reference': (text) => URI_CHARS.test(text) && isReference(text),
  iri: (text) => IRI_CHARS.test(text) && isUrl(text),
  'iri-reference': (text) => IRI_CHARS.test(text) && isReference(text),
  'json-pointer': (text) => POINTER.test(text),
  'relative-json-pointer': (text) => RELATIVE_POINTER.test(text),
};

/** Whether a text has a format; null for a format that is not known. */
export function formatTest(name: string): ((text: string) => boolean) | null {
  if (Object.hasOwn(OTHER_FORMATS, name)) return OTHER_FORMATS[name] ?? null;
  const schema = Object.hasOwn(ZOD_FORMATS, name) ? ZOD_FORMATS[name] : undefined;
  return schema === undefined ? null : (text) => schema.safeParse(text).success;
}

/** RFC 3339 also allows a small t, and a space instead of it. Zod takes neither, and no leap seconds. */
function isDateTime(text: string): boolean {
  const [day, separator, time] = [text.slice(0, 10), text.slice(10, 11), text.slice(11)];
  return /^[t ]$/i.test(separator) && ZOD_FORMATS['date']?.safeParse(day).success === true && TIME.test(time);
}
