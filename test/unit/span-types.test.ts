/** Each type of span has the same colour and icon everywhere. */
import { expect, test } from 'vitest';
import { spanTypeLook, typesOf } from '../../renderer/lib/span-types.ts';

test('known types differ in colour and in icon; other types share one style', () => {
  const known = ['agent', 'llm', 'tool', 'chain', 'retrieval', 'embedding', 'guardrail'];
  expect(new Set(known.map((type) => spanTypeLook(type).colour)).size).toBe(known.length);
  expect(new Set(known.map((type) => spanTypeLook(type).icon)).size).toBe(known.length);
  expect(spanTypeLook('LLM')).toBe(spanTypeLook('llm'));
  expect(spanTypeLook('reranker')).toBe(spanTypeLook(undefined));
  expect(known.map(spanTypeLook)).not.toContain(spanTypeLook('reranker'));
});

test('types are in one order, each once', () => {
  expect(typesOf(['tool', 'zebra', 'llm', '', 'tool', 'apple', 'agent'])).toEqual([
    'agent',
    'llm',
    'tool',
    'apple',
    'zebra',
  ]);
});
