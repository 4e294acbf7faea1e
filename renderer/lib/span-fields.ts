/** The response of spans.fields (SERVICE.md F2.2) as table rows. Pure; tolerates missing fields. */
import { isObject, type JsonObject, textField } from './records.ts';

export interface CoverageRow {
  /** Key of an attribute, or `rule · output` for an evaluator. */
  name: string;
  /** The rule of an evaluator output; empty for an attribute. */
  rule: string;
  kind: 'attribute' | 'evaluator';
  count: number | null;
  /** Share of the sampled spans with this key, from 0 to 1; null if unknown. */
  share: number | null;
}

export interface SpanFieldFacts {
  totalSpans: number;
  /** Whether the counts are approximate, because they are based on 10,000 spans. */
  isSampled: boolean;
  /** Number of sampled spans. */
  lookedAt: number;
  attributes: CoverageRow[];
  evaluators: CoverageRow[];
}

/** Maximum number of spans that spans.fields samples. */
const SAMPLED_SPANS = 10_000;

/** Sorts by count, most frequent first, then by name. */
function byCount(a: CoverageRow, b: CoverageRow): number {
  return (b.count ?? -1) - (a.count ?? -1) || (a.name < b.name ? -1 : 1);
}

function rowsOf(list: unknown, kind: CoverageRow['kind'], lookedAt: number): CoverageRow[] {
  if (!Array.isArray(list)) return [];
  return list
    .filter(isObject)
    .map((entry) => {
      const count = typeof entry['count'] === 'number' ? entry['count'] : null;
      const share = count === null || lookedAt === 0 ? null : Math.min(1, count / lookedAt);
      const rule = kind === 'evaluator' ? textField(entry, 'rule_name') : '';
      return { name: nameOf(entry, kind), rule, kind, count, share };
    })
    .filter(({ name }) => name !== '')
    .sort(byCount);
}

function nameOf(entry: JsonObject, kind: CoverageRow['kind']): string {
  if (kind === 'attribute') return textField(entry, 'key');
  return [textField(entry, 'rule_name'), textField(entry, 'output_name')].filter(Boolean).join(' · ');
}

export function readSpanFields(record: JsonObject | null): SpanFieldFacts | null {
  if (record === null) return null;
  const total = record['total_spans'];
  const totalSpans = typeof total === 'number' ? total : 0;
  const isSampled = record['sampled'] === true;
  const lookedAt = isSampled ? Math.min(totalSpans, SAMPLED_SPANS) : totalSpans;
  return {
    totalSpans,
    isSampled,
    lookedAt,
    attributes: rowsOf(record['span_attributes'], 'attribute', lookedAt),
    evaluators: rowsOf(record['evaluator_outputs'], 'evaluator', lookedAt),
  };
}

/** `0 %`, `<1 %`, `37 %`: a key that occurs never has 0 %. */
export function formatShare(share: number): string {
  if (share > 0 && share < 0.01) return '<1 %';
  if (share < 1 && share > 0.99) return '>99 %';
  return `${Math.round(share * 100)} %`;
}

/** An attribute key without its origin, for a heading: `gen_ai.request.model` for `system.gen_ai.request.model`. */
export function shortKey(key: string): string {
  return key.replace(/^(system|user)\./, '');
}
