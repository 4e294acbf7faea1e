/** Catalog entities of an application, with the distinct values of those that hold text. */
import type { CatalogStore, EntityRow } from '../store-catalog.ts';
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
  applicationId: string;
  /** Entities in all, of every type. */
  entityCount: number;
  subjects: readonly [string, ...string[]];
  /** Names of the agents that its spans have. */
  agents: readonly string[];
  /** Start of the references among the values, e.g. `ORD`. */
  referencePrefix: string;
  /** The newest observation lies just before this time. */
  baseMs: number;
  /** Gets what the spans up to this time do not have. */
  past: PastSpans;
}

interface Candidate {
  entityType: string;
  name: string;
  concept: string;
  dataType: 'numeric' | 'string';
  scope: 'span' | 'session';
  /** Where spans have it. */
  place: SpanPlace;
  /** The spans up to now have its values; else spans from before. */
  isInSpans: boolean;
  /** Words it takes, or how many references. */
  values: readonly string[] | number;
}

interface Seen {
  first_seen: string;
  last_seen: string;
}

const DAY_MS = 86_400_000;
const isoTime = (timeMs: number): string => new Date(timeMs).toISOString();
/** Spans that have a number of which the catalog has no values. */
const NUMBERS_SEEN = 3;
/** Share of the person's own attributes that nobody has mapped to a concept. */
const UNMAPPED_SHARE = 0.27;
/** References with thousands of values; the others have some dozens. */
const LARGE_REFERENCES = 6;

function ownAttributes(random: SeededRandom, plan: CatalogPlan): Candidate[] {
  const all = PREFIXES.flatMap((prefix) =>
    plan.subjects.flatMap((subject) =>
      QUALIFIERS.flatMap((qualifier) => {
        const base = `${prefix}${subject}.${qualifier}`;
        const scope = prefix.includes('session') ? ('session' as const) : ('span' as const);
        const common = { entityType: 'attribute', scope, isInSpans: false };
        // Spans name a person's own attributes without the part that says where they belong.
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

function traceColumns(plan: CatalogPlan): Candidate[] {
  const known = new Set(['llm', 'tool', 'chain', 'agent', ...STEP_NAMES, ...TOOLS, ...plan.agents]);
  const column = (entityType: 'span_type' | 'span_name' | 'agent_name', name: string): Candidate => ({
    entityType,
    name,
    place: { column: entityType },
    isInSpans: known.has(name),
    concept: entityType,
    dataType: 'string',
    scope: 'span',
    values: [name],
  });
  const spanNames = plan.subjects.flatMap((subject) => SPAN_VERBS.map((verb) => `${verb}_${subject}`));
  const agents = plan.subjects.flatMap((subject) =>
    AGENT_ROLES.map((role) => `${capitalized(subject)} ${role}`),
  );
  // First what its spans have; the others were seen before the spans that are still there.
  const withFirst = (first: readonly string[], all: readonly string[]) =>
    [...new Set([...first, ...all])].slice(0, all.length);
  return [
    ...['llm', 'tool', 'chain', 'agent', 'other'].map((name) => column('span_type', name)),
    ...withFirst([...STEP_NAMES, ...TOOLS], spanNames).map((name) => column('span_name', name)),
    ...withFirst(plan.agents, agents).map((name) => column('agent_name', name)),
  ];
}

function systemAttributes(plan: CatalogPlan): Candidate[] {
  return SYSTEM_ATTRIBUTES.map((attribute) => ({
    entityType: 'attribute',
    name: attribute.name,
    concept: attribute.concept,
    place: { key: `system.${attribute.name}` },
    isInSpans: attribute.values !== null || attribute.name.startsWith('gen_ai.usage.'),
    dataType: attribute.dataType,
    scope: attribute.scope,
    values: attribute.name === 'gen_ai.agent.name' ? plan.agents : (attribute.values ?? 40),
  }));
}

/** Observations in the ninety days before the base time, up to it, first before last. */
function seenUpTo(random: SeededRandom, baseMs: number): Seen {
  return {
    first_seen: isoTime(baseMs - 14 * DAY_MS - random.int(3_600_000, 70 * DAY_MS)),
    last_seen: isoTime(baseMs),
  };
}

/** First and last of these times, in milliseconds. */
function seenAt(times: readonly number[]): Seen {
  const sorted = times.toSorted((a, b) => a - b);
  return { first_seen: isoTime(sorted[0] ?? 0), last_seen: isoTime(sorted.at(-1) ?? 0) };
}

function valueTexts(random: SeededRandom, candidate: Candidate, prefix: string): string[] {
  if (typeof candidate.values !== 'number') return [...candidate.values];
  const texts = new Set<string>();
  while (texts.size < candidate.values) texts.add(`${prefix}-${random.int(100_000, 999_999)}`);
  return [...texts];
}

/** Adds the entities of one application and gives how many there are. */
export function generateCatalog(store: CatalogStore, random: SeededRandom, plan: CatalogPlan): number {
  const fixed = [...systemAttributes(plan), ...traceColumns(plan)];
  const candidates = [...fixed, ...ownAttributes(random, plan)].slice(0, plan.entityCount);
  let largeLeft = LARGE_REFERENCES;
  for (const candidate of candidates) {
    if (typeof candidate.values === 'number' && candidate.values > 0 && largeLeft > 0) {
      largeLeft -= 1;
      candidate.values = random.int(1_200, 1_900);
    }
    addEntity(store, random, plan, candidate);
  }
  return candidates.length;
}

function addEntity(store: CatalogStore, random: SeededRandom, plan: CatalogPlan, candidate: Candidate): void {
  const rowCount = Math.ceil(10 ** (1 + random.next() * 5));
  const isNumeric = candidate.dataType === 'numeric';
  const texts = isNumeric ? [] : valueTexts(random, candidate, plan.referencePrefix);
  const values = isNumeric ? Array.from({ length: NUMBERS_SEEN }, () => random.decimal(0, 900, 2)) : texts;
  const times = candidate.isInSpans ? [] : values.map((value) => plan.past.hold(candidate.place, value));
  const seen = candidate.isInSpans ? seenUpTo(random, plan.baseMs) : seenAt(times);
  const entity: EntityRow = {
    id: random.uuid(),
    application_id: plan.applicationId,
    entity_type: candidate.entityType,
    name: candidate.name,
    semantic_name: candidate.concept,
    data_type: candidate.dataType,
    scope: candidate.scope,
    ...seen,
    row_count: rowCount,
  };
  const entityId = store.addEntity(entity);
  for (const [index, value] of texts.entries()) {
    const timeMs = times[index];
    store.addValue(entityId, {
      value,
      ...(timeMs === undefined ? seen : seenAt([timeMs])),
      row_count: Math.max(1, Math.floor((rowCount / texts.length) * (0.5 + random.next()))),
    });
  }
}
