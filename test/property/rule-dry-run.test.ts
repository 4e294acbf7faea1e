/**
 * A dry run of an evaluator rule shows too many spans rather than too few, however the service interprets its filters.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DryRun, FieldSearch } from '../../electron/core/spans/rule-dry-run.ts';

type Json = Record<string, unknown>;

const KEYS = ['user.tenant', 'system.model'];
const span = fc.record({
  name: fc.constantFrom('draft', 'plan'),
  span_type: fc.constantFrom('llm', 'tool'),
  span_attributes: fc.dictionary(fc.constantFrom(...KEYS), fc.constantFrom('north', 'south'), { maxKeys: 2 }),
});
const spans = fc
  .array(span, { maxLength: 6 })
  .map((list) => list.map((each, at) => ({ ...each, span_id: `s${at}`, trace_id: 't' })));

const SCOPED = ['Span::name', 'Span::span_type', ...KEYS.map((key) => `SpanAttribute::${key}`)];
/** Keys that the grammar lacks, which could negate a part or narrow it. */
const extra = fc.oneof(
  { weight: 4, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.record({ not: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ span_type: fc.constantFrom('llm', 'tool') }) },
);
const rule = fc
  .tuple(
    fc.record({
      field: fc.constantFrom(...SCOPED, ...KEYS, 'name', 'span_type', 'span.name', 'kind', 'model'),
      operator: fc.constantFrom('equal', 'eq', 'not_equal', 'matches'),
      value: fc.constantFrom('draft', 'plan', 'llm', 'tool', 'north', 'south'),
    }),
    extra,
  )
  .map(([one, more]): Json => ({ ...one, ...more }));
const filters = fc.letrec<{ group: Json; node: Json }>((tie) => ({
  group: fc
    .tuple(
      fc.record({ condition: fc.constantFrom('AND', 'OR'), rules: fc.array(tie('node'), { maxLength: 3 }) }),
      extra,
    )
    .map(([one, more]): Json => ({ ...one, ...more })),
  node: fc.oneof({ depthSize: 'small' }, rule, tie('group')),
})).group;

/** One way in which a service may interpret filters. `guess`: decides what only the service knows. */
function selects(node: Json, one: Json, guess: boolean): boolean {
  const { rules, condition } = node;
  let isIn = Array.isArray(rules)
    ? matchesAll(rules as Json[], condition, one, guess)
    : matches(node, one, guess);
  if (node['not'] === true) isIn = !isIn;
  return isIn && (node['span_type'] === undefined || one['span_type'] === node['span_type']);
}

function matchesAll(rules: Json[], condition: unknown, one: Json, guess: boolean): boolean {
  if (rules.length === 0) return true;
  return condition === 'OR'
    ? rules.some((each) => selects(each, one, guess))
    : rules.every((each) => selects(each, one, guess));
}

function matches({ field, operator, value }: Json, one: Json, guess: boolean): boolean {
  const name = String(field).replace(/^Span::|^SpanAttribute::|^span\./, '');
  const attributes = one['span_attributes'] as Json;
  const isKnown = name === 'name' || name === 'span_type' || KEYS.includes(name) || name === 'model';
  if (!isKnown || operator === 'matches') return guess;
  const found = one[name] ?? attributes[name] ?? attributes[`system.${name}`];
  return operator === 'not_equal' ? found !== value : found === value;
}

test('every span that the service would score is among those that match', () => {
  fc.assert(
    fc.property(spans, filters, fc.boolean(), (stored, given, guess) => {
      const search = new FieldSearch(given);
      for (const each of stored) search.add(each);
      const draft = { applicationId: 'a', filters: given, mappedInputKeys: {}, samplingRate: 1 };
      const run = new DryRun(draft, stored.length, search.isKnown);
      for (const each of stored) run.add(each);
      const shown = run.result(false).rows.map(({ spanId }) => spanId);
      const scored = stored.filter((each) => selects(given, each, guess)).map((each) => each.span_id);
      expect(shown).toEqual(expect.arrayContaining(scored));
    }),
    { numRuns: 2_000 },
  );
});
