/** A record as the inspector's list of fields: plain ones as text, nested ones apart. Pure. */
import { formatFull, formatNumber, formatStamp, parseTime } from './format.ts';

export interface InspectedFields {
  plain: { name: string; value: string; title?: string; isMono: boolean }[];
  nested: { name: string; value: unknown }[];
}

const IDENTIFIER = /^[0-9a-f-]{20,}$/i;

function isNested(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** Fields whose name or content holds the search; all of them for an empty one. */
export function describeFields(record: Record<string, unknown>, search: string): InspectedFields {
  const wanted = search.trim().toLowerCase();
  const fields: InspectedFields = { plain: [], nested: [] };
  for (const [name, value] of Object.entries(record)) {
    const holds = wanted === '' || name.toLowerCase().includes(wanted) || textOf(value).includes(wanted);
    if (!holds) continue;
    if (isNested(value)) fields.nested.push({ name, value });
    else fields.plain.push({ name, ...plainField(value) });
  }
  return fields;
}

function textOf(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toLowerCase();
}

function plainField(value: unknown): { value: string; title?: string; isMono: boolean } {
  if (typeof value === 'number') return { value: formatNumber(value), title: String(value), isMono: false };
  if (typeof value === 'string') {
    const ms = parseTime(value);
    if (ms !== null) return { value: formatStamp(ms), title: `${formatFull(ms)} (${value})`, isMono: false };
    if (value === '') return { value: '(empty text)', isMono: false };
    return { value, isMono: IDENTIFIER.test(value) };
  }
  return { value: JSON.stringify(value) ?? 'null', isMono: true };
}
