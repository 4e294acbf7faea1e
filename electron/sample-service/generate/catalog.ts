/** Catalog entities of an application, with the distinct values of those that hold text. */
import type { CatalogStore, EntityRow, ValueRow } from '../store-catalog.ts';
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
}

interface Candidate {
  entityType: string;
  name: string;
  concept: string;
  dataType: 'numeric' | 'string';
  scope: 'span' | 'session';
  /** The spans that are there hold its values. */
  isInSpans: boolean;
  /** Words it takes, or how many references. */
  values: readonly string[] | number;
}

const DAY_MS = 86_400_000;
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
        return [
          ...NUMERIC_FIELDS.map(({ field, concept }) => ({
            ...common,
            name: base + field,
            concept,
            dataType: 'numeric' as const,
            values: 0,
          })),
          ...TEXT_FIELDS.map(({ field, concept, values }) => ({
            ...common,
            name: base + field,
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
  const column = (entityType: string, name: string): Candidate => ({
    entityType,
    name,
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
    isInSpans: attribute.scope === 'span',
    dataType: attribute.dataType,
    scope: attribute.scope,
    values: attribute.name === 'gen_ai.agent.name' ? plan.agents : (attribute.values ?? 40),
  }));
}

/** Observations somewhere in the ninety days before the base time, first before last; of what spans hold up to now. */
function seen(
  random: SeededRandom,
  baseMs: number,
  isInSpans: boolean,
): { first_seen: string; last_seen: string } {
  const lastMs = baseMs - Math.floor(random.next() ** 2 * 20 * DAY_MS) - random.int(0, 3_600_000);
  const firstMs = lastMs - (isInSpans ? 14 * DAY_MS : 0) - random.int(3_600_000, 70 * DAY_MS);
  return {
    first_seen: new Date(firstMs).toISOString(),
    last_seen: new Date(isInSpans ? baseMs : lastMs).toISOString(),
  };
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
      candidate.values = random.int(1_200, 3_600);
    }
    addEntity(store, random, plan, candidate);
  }
  return candidates.length;
}

function addEntity(store: CatalogStore, random: SeededRandom, plan: CatalogPlan, candidate: Candidate): void {
  const rowCount = Math.ceil(10 ** (1 + random.next() * 5));
  const entity: EntityRow = {
    id: random.uuid(),
    application_id: plan.applicationId,
    entity_type: candidate.entityType,
    name: candidate.name,
    semantic_name: candidate.concept,
    data_type: candidate.dataType,
    scope: candidate.scope,
    ...seen(random, plan.baseMs, candidate.isInSpans),
    row_count: rowCount,
  };
  const entityId = store.addEntity(entity);
  if (candidate.dataType === 'numeric') return;
  const texts = valueTexts(random, candidate, plan.referencePrefix);
  for (const value of texts) {
    const row: ValueRow = {
      value,
      first_seen: entity.first_seen,
      last_seen: entity.last_seen,
      row_count: Math.max(1, Math.floor((rowCount / texts.length) * (0.5 + random.next()))),
    };
    store.addValue(entityId, row);
  }
}
