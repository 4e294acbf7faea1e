/**
 * The text of a keychain entry: a secret with the purpose for which it was entered. The name of an entry says only to
 * which connection it belongs. The stored address of the connection may be older than the entry, e.g. after a backup of
 * the data folder was restored, or in a copy of the folder.
 */
import * as z from '../shared/zod.ts';

const bound = z.strictObject({ for: z.string(), secret: z.string() });

/** `purpose`: for a token, the origin of its service. */
export const entryText = (purpose: string, secret: string): string =>
  JSON.stringify({ for: purpose, secret });

interface Found {
  secret: string;
  /** False for an entry of an earlier version, which names no purpose. */
  isBound: boolean;
}

/** The secret of an entry; null if there is none, or if it was entered for another purpose. */
export function secretIn(text: string | null, purpose: string): Found | null {
  if (text === null) return null;
  const entry = parsed(text);
  if (entry === null) return { secret: text, isBound: false };
  return entry.for === purpose ? { secret: entry.secret, isBound: true } : null;
}

function parsed(text: string): z.infer<typeof bound> | null {
  if (!text.startsWith('{"for":')) return null;
  try {
    return bound.safeParse(JSON.parse(text)).data ?? null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}
