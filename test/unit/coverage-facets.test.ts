/** The values of spans and items that are counted for the coverage of a dataset. */
import { expect, test } from 'vitest';
import { Facets } from '../../electron/core/coverage/facets.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';

function facets() {
  const all = new Facets();
  const agents = all.addDimension('agent_name');
  const topics = all.addDimension();
  const concept = all.facetOf(all.addDimension(), 'intent is stated');
  all.addAttribute('user.intent', { dimension: topics, concept: null });
  all.addAttribute('user.tone', { dimension: null, concept });
  const named = (found: readonly number[]) => found.map((facet) => all.values[facet]);
  return { all, agents, topics, named };
}

test.each([
  ['text', '"refund"', ['refund']],
  ['a number', '3', ['3']],
  ['a number with more digits than a computer number has', '12345678901234567890', ['12345678901234567890']],
  ['a truth value', 'true', ['true']],
  ['an empty text', '""', []],
  ['a missing value', 'null', []],
  ['a list', '["refund"]', []],
])('the value of an attribute: %s', (_, json, expected) => {
  const { all, named } = facets();
  expect(named(all.ofSpan({ span_attributes: { 'user.intent': parseExact(json) } }))).toEqual(expected);
  expect(named(all.ofItem({ inputs: { intent: parseExact(json) } }))).toEqual(expected);
});

test('an attribute counts for a concept if it has any value', () => {
  const { all, named } = facets();
  const stated = { span_attributes: { 'user.tone': ['warm'] } };
  expect(named(all.ofSpan(stated))).toEqual(['intent is stated']);
  expect(named(all.ofSpan({ span_attributes: { 'user.tone': null } }))).toEqual([]);
  expect(named(all.ofSpan({ span_attributes: 'user.tone' }))).toEqual([]);
});

test('equal values of spans and items are one facet, whose number is kept', () => {
  const { all, agents, named } = facets();
  const [first] = all.ofSpan({ agent_name: 'router' });
  expect(all.ofItem({ metadata: { agent_name: 'router' } })).toEqual([first]);
  all.ofSpan({ agent_name: 'writer' });
  expect(named(all.of(agents))).toEqual(['router', 'writer']);
  expect(all.ofItem({ metadata: ['router'], inputs: null })).toEqual([]);
});
