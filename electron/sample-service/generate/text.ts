/** Questions, answers and texts that the answers are based on, generated from templates. */
import type { SeededRandom } from './seeded-random.ts';

type Words = readonly [string, ...string[]];

interface Topic {
  intent: string;
  category: string;
  questions: Words;
  answers: Words;
  context: Words;
}

export interface Domain {
  topics: readonly [Topic, ...Topic[]];
  /** Words for the `{slot}`s in templates. */
  slots: Readonly<Record<string, Words>>;
  systemPrompt: string;
}

export interface Dialogue {
  topic: Topic;
  question: string;
  answer: string;
  context: string;
}

function fill(template: string, values: ReadonlyMap<string, string>): string {
  return template.replaceAll(/\{(\w+)\}/g, (whole, slot: string) => values.get(slot) ?? whole);
}

function slotValues(random: SeededRandom, domain: Domain): Map<string, string> {
  const values = new Map(Object.entries(domain.slots).map(([slot, words]) => [slot, random.pick(words)]));
  values.set('number', String(random.int(10_000, 99_999)));
  values.set('amount', `${random.int(8, 940)}.${String(random.int(0, 99)).padStart(2, '0')}`);
  values.set('days', String(random.int(2, 30)));
  values.set('time', `${random.int(7, 21)}:${random.pick(['00', '15', '30', '45'])}`);
  return values;
}

/** A question with its answer and the context that a retrieval step would have found. */
export function dialogue(random: SeededRandom, domain: Domain): Dialogue {
  const topic = random.pick(domain.topics);
  const values = slotValues(random, domain);
  const context = random
    .shuffle(topic.context)
    .slice(0, random.int(1, topic.context.length))
    .map((part) => fill(part, values));
  return {
    topic,
    question: fill(random.pick(topic.questions), values),
    answer: fill(random.pick(topic.answers), values),
    context: context.join('\n\n'),
  };
}
