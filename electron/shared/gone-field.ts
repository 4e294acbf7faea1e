/**
 * The field that a kept row has once the service no longer returns it: the time at which Spandeck noticed that, as ISO
 * text. It is the last field of the record, so that columns, filters, search, SQL, exports and packs have it.
 */
export const GONE_FIELD = 'gone_at_service';

const MARK = /,?"gone_at_service":"[^"\\]{1,40}"\}$/;

/** True if the JSON of a record ends with the mark. */
export const isMarkedGone = (json: string): boolean => MARK.test(json.slice(-80));

/** Replaces the closing brace of the JSON; null if it is not that of an object. */
export function goneEnding(json: string, goneAtMs: number): string | null {
  if (!json.startsWith('{') || !json.endsWith('}')) return null;
  const isEmpty = json.slice(1, -1).trim() === '';
  return `${isEmpty ? '' : ','}${JSON.stringify(GONE_FIELD)}:${JSON.stringify(new Date(goneAtMs).toISOString())}}`;
}

/** The moment of the mark; null for a row that the service returned. */
export function goneAtOf(record: Readonly<Record<string, unknown>>): number | null {
  const at = record[GONE_FIELD];
  const ms = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}
