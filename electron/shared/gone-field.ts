/**
 * The field that a kept row gets once the service no longer returns it: the time at which Spandeck noticed, as ISO
 * text. It is the last field of the record, so that columns, filters, search, SQL, exports and packs contain it.
 */
export const GONE_FIELD = 'gone_at_service';

const MARK = /,?"gone_at_service":"[^"\\]{1,40}"\}$/;

/** Whether the JSON of a record ends with this field. */
export const isMarkedGone = (json: string): boolean => MARK.test(json.slice(-80));

/** The end of the record's JSON with this field added; null if the JSON is not an object. */
export function goneEnding(json: string, goneAtMs: number): string | null {
  if (!json.startsWith('{') || !json.endsWith('}')) return null;
  const isEmpty = json.slice(1, -1).trim() === '';
  return `${isEmpty ? '' : ','}${JSON.stringify(GONE_FIELD)}:${JSON.stringify(new Date(goneAtMs).toISOString())}}`;
}

/** The time in this field; null for a row that the service still returns. */
export function goneAtOf(record: Readonly<Record<string, unknown>>): number | null {
  const at = record[GONE_FIELD];
  const ms = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  return Number.isFinite(ms) ? ms : null;
}
