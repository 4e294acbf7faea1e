/** Finds the spans that have a value of the catalog. Pure. */
import { keysOf } from '../../electron/shared/catalog-entity.ts';
import { isScalar } from './filter/by-value.ts';
import type { SpanRange } from './span-range.ts';

const COLUMNS: Readonly<Record<string, string>> = {
  span_type: 'Span::span_type',
  span_name: 'Span::name',
  agent_name: 'Span::agent_name',
};
const MINUTE = 60_000;
const LONGEST_MS = 30 * 86_400_000;

/** The filter for spans with this value, as text; null if no filter can express it. */
export function filterOfValue(entityType: string, name: string, value: unknown): string | null {
  if (!isScalar(value)) return null;
  const column = COLUMNS[entityType];
  if (column === undefined && entityType !== 'attribute') return null;
  const fields = column === undefined ? keysOf(name).map((key) => `SpanAttribute::${key}`) : [column];
  const rules = fields.map((field) => ({ field, operator: 'eq', value }));
  return JSON.stringify({ condition: rules.length === 1 ? 'AND' : 'OR', rules });
}

/** Time range in which spans with a value were seen: up to the last time, at most 30 days. */
export function rangeSeen(firstMs: number | null, lastMs: number): SpanRange {
  const endMs = Math.floor(lastMs / MINUTE) * MINUTE + MINUTE;
  const startMs = Math.max(firstMs ?? Number.NEGATIVE_INFINITY, endMs - LONGEST_MS);
  return { id: 'custom', startMs: Math.min(startMs, endMs - MINUTE), endMs };
}
