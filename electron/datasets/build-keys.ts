/** The attribute keys of picked spans with their coverage, and how well a mapping fits them. */

import { attributesOf, coverageOf, mappingProblems } from '../core/spans/span-mapping.ts';
import { cutText } from '../shared/cut-text.ts';
import type { BuildKey, Mapping, MappingCheck } from '../shared/dataset-model.ts';
import type { BuildLedger } from './build-ledger.ts';
import type { Looked } from './preview.ts';
import { parseRecord } from './span-item.ts';

const MAX_SAMPLE = 150;

export function checkMapping(
  ledger: BuildLedger,
  mapping: Mapping,
): Omit<MappingCheck, 'unfilled' | 'unseen'> {
  return { problems: mappingProblems(mapping), ...coverageOf(ledger.shapes(), mapping) };
}

/** Every key of the picked spans, most frequent first. */
export function keyCounts(ledger: BuildLedger): { key: string; count: number; of: number }[] {
  const shapes = ledger.shapes();
  const of = shapes.reduce((sum, { spans }) => sum + spans, 0);
  const counts = new Map<string, number>();
  for (const { keys, spans } of shapes) {
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + spans);
  }
  return [...counts]
    .map(([key, count]) => ({ key, count, of }))
    .toSorted((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1));
}

const SAMPLED_SHAPES = 40;
const SPANS_PER_SHAPE = 3;
const MAX_SAMPLES = 3;

/** Types and sample values of keys, from a few spans of each frequent key set. */
export function withSamples(
  { store, ledger }: Looked,
  keys: readonly { key: string; count: number; of: number }[],
): BuildKey[] {
  const positions = ledger
    .shapes()
    .slice(0, SAMPLED_SHAPES)
    .flatMap(({ shapeId }) => store.spans.samplePositions(ledger.id, shapeId, SPANS_PER_SHAPE));
  const records = [...store.spans.records(ledger.id, positions).values()].map((text) =>
    attributesOf(parseRecord(text)),
  );
  return keys.map(({ key, count, of }) => {
    const values = records.filter((attributes) => Object.hasOwn(attributes, key)).map((one) => one[key]);
    const texts = [...new Set(values.map(sampleText))];
    return {
      key,
      count,
      of,
      types: [...new Set(values.map(typeName))].toSorted(),
      samples: texts.slice(0, MAX_SAMPLES),
    };
  });
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function sampleText(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return cutText(text, MAX_SAMPLE);
}
