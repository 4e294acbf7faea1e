/**
 * Catalog entities of an application, with the distinct values of text entities. The catalog is counted from the spans,
 * so a planned name or value that no span has is first added to a past span.
 */
import type { JsonRecord } from '../store.ts';
import type { CatalogStore } from '../store-catalog.ts';
import type { PastSpans, SpanPlace } from './past-spans.ts';
import type { SeededRandom } from './seeded-random.ts';
import {
  AGENT_ROLES,
  NUMERIC_FIELDS,
  PREFIXES,
  QUALIFIERS,
  SPAN_VERBS,
  STEP_NAMES,
  SYSTEM_ATTRIBUTES,
  TEXT_FIELDS,
  TOOLS,
} from './vocabulary.ts';

interface CatalogPlan {
  /** Total number of entities of all types. */
  entityCount: number;
  subjects: readonly [string, ...string[]];
  /** Names of the agents in the application's spans. */
  agents: readonly string[];
  /** Prefix of references among the values, e.g. `ORD`. */
  referencePrefix: string;
}

/** An entity to be counted, with values that at least one span must have. */
interface Candidate {
  entityType: string;
  name: string;
  concept: string;
  dataType: 'numeric' | 'string';
  scope: 'span' | 'session';
  place: SpanPlace;
  values: readonly string[];
}

interface Draft extends Omit<Candidate, 'values'> {
  /** The possible words, or the number of references. */
  values: readonly string[] | number;
}

interface Seen {
  first_seen: string;
  last_seen: string;
  row_count: number;
}

/** Number of past spans with a number as value, for entities whose values are not in the catalog. */
const NUMBERS_SEEN = 3;
/** Share of user attributes that are not mapped to a concept. */
const UNMAPPED_SHARE = 0.27;
/** Number of references with thousands of values; other references have some dozens. */
const LARGE_REFERENCES = 6;

function ownAttributes(random: SeededRandom, plan: CatalogPlan): Draft[] {
  const all = PREFIXES.flatMap((prefix) =>
    plan.subjects.flatMap((subject) =>
      QUALIFIERS.flatMap((qualifier) => {
        const base = `${prefix}${subject}.${qualifier}`;
        const scope = prefix.includes('session') ? ('session' as const) : ('span' as const);
        const common = { entityType: 'attribute', scope };
        // In spans, user attributes have no scope prefix.
        const key = base.replace(/^fiddler\.(span|session)\./, '');
        return [
          ...NUMERIC_FIELDS.map(({ field, concept }) => ({
            ...common,
            name: base + field,
            place: { key: key + field },
            concept,
            dataType: 'numeric' as const,
            values: 0,
          })),
          ...TEXT_FIELDS.map(({ field, concept, values }) => ({
            ...common,
            name: base + field,
            place: { key: key + field },
            concept,
            dataType: 'string' as const,
            values: values ?? random.int(20, 90),
          })),
        ];
      }),
    ),
  );
  return random
    .shuffle(all)
    .map((candidate) => (random.chance(UNMAPPED_SHARE) ? { ...candidate, concept: 'UNKNOWN' } : candidate));
}

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ');
}

function traceColumns(plan: CatalogPlan): Draft[] {
  const column = (entityType: 'span_type' | 'span_name' | 'agent_name', name: string): Draft => ({
    entityType,
    name,
    place: { column: entityType },
    concept: entityType,
    dataType: 'string',
    scope: 'span',
    values: [name],
  });
  const spanNames = plan.subjects.flatMap((subject) => SPAN_VERBS.map((verb) => `${verb}_${subject}`));
  const agents = plan.subjects.flatMap((subject) =>
    AGENT_ROLES.map((role) => `${capitalized(subject)} ${role}`),
  );
  // The values of spans come first; the other values occurred only in spans that no longer exist.
  const withFirst = (first: readonly string[], all: readonly string[]) =>
    [...new Set([...first, ...all])].slice(0, all.length);
  return [
    ...['llm', 'tool', 'chain', 'agent', 'other'].map((name) => column('span_type', name)),
    ...withFirst([...STEP_NAMES, ...TOOLS], spanNames).map((name) => column('span_name', name)),
    ...withFirst(plan.agents, agents).map((name) => column('agent_name', name)),
  ];
}

function systemAttributes(plan: CatalogPlan): Draft[] {
  return SYSTEM_ATTRIBUTES.map((attribute) => ({
    entityType: 'attribute',
    name: attribute.name,
    concept: attribute.concept,
    place: { key: `system.${attribute.name}` },
    dataType: attribute.dataType,
    scope: attribute.scope,
    values: attribute.name === 'gen_ai.agent.name' ? plan.agents : (attribute.values ?? 40),
  }));
}

function valueTexts(
  random: SeededRandom,
  { values }: Draft,
  { referencePrefix }: CatalogPlan,
): readonly string[] {
  if (typeof values !== 'number') return values;
  const texts = new Set<string>();
  while (texts.size < values) texts.add(`${referencePrefix}-${random.int(100_000, 999_999)}`);
  return [...texts];
}

/** The distinct entities of one application. */
export function planCatalog(random: SeededRandom, plan: CatalogPlan): Candidate[] {
  const fixed = [...systemAttributes(plan), ...traceColumns(plan)];
  const candidates = [...fixed, ...ownAttributes(random, plan)].slice(0, plan.entityCount);
  let largeLeft = LARGE_REFERENCES;
  return candidates.map((candidate) => {
    const isReference = typeof candidate.values === 'number' && candidate.values > 0;
    if (isReference && largeLeft > 0) {
      largeLeft -= 1;
      return {
        ...candidate,
        values: valueTexts(random, { ...candidate, values: random.int(1_200, 1_900) }, plan),
      };
    }
    return { ...candidate, values: valueTexts(random, candidate, plan) };
  });
}

/** Adds to past spans everything that no span has yet: text values, and some numbers. */
export function holdMissing(
  random: SeededRandom,
  candidates: readonly Candidate[],
  { spans, past }: { spans: readonly JsonRecord[]; past: PastSpans },
): void {
  const seen = observe(spans);
  for (const { place, dataType, values } of candidates) {
    const known = seen.get(placeName(place));
    if (dataType === 'numeric') {
      if (known !== undefined) continue;
      for (let count = 0; count < NUMBERS_SEEN; count += 1) past.hold(place, random.decimal(0, 900, 2));
    } else {
      for (const value of values) if (known?.values.has(value) !== true) past.hold(place, value);
    }
  }
}

/** Adds the entities with their counts from the spans; each span with the name or value counts as an observation. */
export function addCatalog(
  store: CatalogStore,
  random: SeededRandom,
  candidates: readonly Candidate[],
  { applicationId, spans }: { applicationId: string; spans: readonly JsonRecord[] },
): void {
  const seen = observe(spans);
  for (const { entityType, name, concept, dataType, scope, place } of candidates) {
    const found = seen.get(placeName(place));
    // A column has one entity for each of its values; an attribute has one for all of its values.
    const own = 'column' in place ? found?.values.get(name) : found;
    if (found === undefined || own === undefined) throw new Error(`No span of the sample has "${name}".`);
    const entityId = store.addEntity({
      id: random.uuid(),
      application_id: applicationId,
      entity_type: entityType,
      name,
      semantic_name: concept,
      data_type: dataType,
      scope,
      ...rowOf(own),
    });
    if (dataType === 'numeric') continue;
    const listed = 'column' in place ? [[name, own] as const] : found.values;
    for (const [value, one] of listed) store.addValue(entityId, { value, ...rowOf(one) });
  }
}

interface Sighting {
  firstMs: number;
  lastMs: number;
  count: number;
}

type Place = Sighting & { values: Map<string, Sighting> };

const placeName = (place: SpanPlace): string => ('key' in place ? `key ${place.key}` : place.column);
const rowOf = ({ firstMs, lastMs, count }: Sighting): Seen => ({
  first_seen: new Date(firstMs).toISOString(),
  last_seen: new Date(lastMs).toISOString(),
  row_count: count,
});

/** Counts and times of values in spans, by attribute or column. */
function observe(spans: readonly JsonRecord[]): Map<string, Place> {
  const places = new Map<string, Place>();
  for (const span of spans) {
    const timeMs = Date.parse(String(span['start_time']));
    const see = (name: string, value: unknown): void => {
      if (value === null || value === undefined || value === '') return;
      const place = places.get(name) ?? { ...sightingAt(timeMs), values: new Map<string, Sighting>() };
      places.set(name, place);
      const text = String(value);
      const own = place.values.get(text) ?? sightingAt(timeMs);
      place.values.set(text, own);
      for (const sighting of [place, own]) {
        sighting.count += 1;
        sighting.firstMs = Math.min(sighting.firstMs, timeMs);
        sighting.lastMs = Math.max(sighting.lastMs, timeMs);
      }
    };
    see('span_type', span['span_type']);
    see('span_name', span['name']);
    see('agent_name', span['agent_name']);
    for (const [key, value] of Object.entries(Object(span['span_attributes']))) see(`key ${key}`, value);
  }
  return places;
}

const sightingAt = (timeMs: number): Sighting => ({ firstMs: timeMs, lastMs: timeMs, count: 0 });
