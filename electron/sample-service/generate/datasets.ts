/** Evaluation datasets with items in the four buckets. As in real datasets, not every item has every key. */

import type { JsonRecord } from '../store.ts';
import type { Stores } from '../stores.ts';
import type { SeededRandom } from './seeded-random.ts';
import { type Domain, dialogue } from './text.ts';

interface DatasetPlan {
  name: string;
  description: string;
  itemCount: number;
  metadata: JsonRecord;
  application: { id: string; name: string };
  project: { id: string; name: string; asset_type: string };
  organization: { id: string; name: string };
  domain: Domain;
  baseMs: number;
}

/** The fields of a span that an item is made from. */
type Source = Record<'spanId' | 'question' | 'answer' | 'context' | 'intent' | 'category', unknown>;

/** Share of items that are made from spans; the others are as if written by hand. */
const SHARE_OF_SPANS = 0.8;

interface Person {
  id: string;
  full_name: string;
  email: string;
}

const PEOPLE: readonly [Person, ...Person[]] = [
  {
    id: '5b1f0d52-7a0c-4c53-9a6b-0f3a3c1f8a01',
    full_name: 'Hanna Virtanen',
    email: 'hanna.virtanen@meridian.invalid',
  },
  {
    id: '8c7e2f64-1f3b-4e0a-8d19-6b2d5a90c402',
    full_name: 'Rafael Costa',
    email: 'rafael.costa@meridian.invalid',
  },
];

/** The fields of an item that are copied from its span. */
function fromSpan(
  { question, answer, intent, category, context, spanId }: Source,
  made: JsonRecord,
): JsonRecord {
  return {
    inputs: { question, context },
    expected_outputs: { answer, intent },
    metadata: { ...(made['metadata'] as JsonRecord), category },
    source_name: 'span',
    source_id: spanId,
  };
}

/** Root spans older than the dataset, newest first. */
function sourcesOf(stores: Stores, applicationId: string, beforeMs: number): Source[] {
  const spans = stores.spans.between(applicationId, 0, beforeMs);
  const contexts = new Map(
    spans.filter(({ name }) => name === 'search_passages').map((span) => [span['trace_id'], span['output']]),
  );
  return spans
    .filter((span) => span['parent_span_id'] === null)
    .toReversed()
    .map((span) => {
      const attributes = span['span_attributes'] as JsonRecord;
      return {
        spanId: span['span_id'],
        question: span['input'],
        answer: span['output'],
        context: contexts.get(span['trace_id']) ?? '',
        intent: attributes['user.intent'],
        category: attributes['user.category'],
      };
    });
}

function item(random: SeededRandom, domain: Domain, createdAt: string, source: Source | null): JsonRecord {
  const talk = dialogue(random, domain);
  const isHard = random.chance(0.3);
  const made: JsonRecord = {
    id: random.uuid(),
    inputs: {
      question: talk.question,
      ...(random.chance(0.85) ? { context: talk.context } : {}),
      ...(random.chance(0.2)
        ? { history: `Earlier the same day: ${dialogue(random, domain).question}` }
        : {}),
    },
    expected_outputs: { answer: talk.answer, intent: talk.topic.intent },
    metadata: {
      category: talk.topic.category,
      difficulty: isHard ? 'hard' : 'easy',
      reviewers: random.int(1, 3),
      ...(random.chance(0.6) ? { agreement: random.decimal(0.55, 1, 2) } : {}),
    },
    extras: {
      latency_s: random.decimal(0.4, 9.5, 3),
      ...(random.chance(0.5) ? { model_answer: talk.answer } : {}),
      ...(random.chance(0.5) ? { cost_usd: random.decimal(0.0002, 0.02, 5) } : {}),
    },
    source_name: null,
    source_id: null,
    created_at: createdAt,
    updated_at: createdAt,
  };
  return source !== null && random.chance(SHARE_OF_SPANS) ? { ...made, ...fromSpan(source, made) } : made;
}

export function generateDataset(stores: Stores, random: SeededRandom, plan: DatasetPlan): string {
  const id = random.uuid();
  const createdMs = plan.baseMs - random.int(1, 3) * 86_400_000;
  const sources = plan.itemCount === 0 ? [] : sourcesOf(stores, plan.application.id, createdMs);
  const author = random.pick(PEOPLE);
  stores.resources.add('dataset', id, plan.application.id, {
    id,
    name: plan.name,
    description: plan.description,
    metadata: plan.metadata,
    active: true,
    created_at: new Date(createdMs).toISOString(),
    updated_at: new Date(createdMs + 86_400_000).toISOString(),
    created_by: author,
    updated_by: random.pick(PEOPLE),
    organization: plan.organization,
    project: plan.project,
    application: plan.application,
  });
  for (let index = 0; index < plan.itemCount; index += 1) {
    const record = item(
      random,
      plan.domain,
      new Date(createdMs + index * 1_500).toISOString(),
      sources[index] ?? null,
    );
    stores.items.add(id, String(record['id']), record);
  }
  return id;
}
