/** Evaluation datasets with items in the four buckets. Not every item holds every key, as in real ones. */

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

function item(random: SeededRandom, domain: Domain, createdAt: string): JsonRecord {
  const talk = dialogue(random, domain);
  const isHard = random.chance(0.3);
  return {
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
    source_name: random.chance(0.7) ? 'span' : null,
    source_id: random.chance(0.7) ? random.hex(16) : null,
    created_at: createdAt,
    updated_at: createdAt,
  };
}

export function generateDataset(stores: Stores, random: SeededRandom, plan: DatasetPlan): string {
  const id = random.uuid();
  const createdMs = plan.baseMs - random.int(5, 60) * 86_400_000;
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
    const record = item(random, plan.domain, new Date(createdMs + index * 1_500).toISOString());
    stores.items.add(id, String(record['id']), record);
  }
  return id;
}
