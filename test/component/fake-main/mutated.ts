/**
 * Answers of a future version of the service: some fields of each record have another type, and some are missing. Pure.
 */
import { retyped } from '../../mutated-services/retyped.ts';

const TYPES = 7;

function changed(record: Record<string, unknown>, seed: number): Record<string, unknown> {
  const fields = Object.entries(record).flatMap(([name, value], index) => {
    const turn = index * 5 + seed;
    if (turn % 11 === 0) return [];
    return [[name, turn % 3 === 0 ? retyped(value, (index + seed) % TYPES) : value] as const];
  });
  return { ...Object.fromEntries(fields), next_year: { seed } };
}

/** Copies an answer and changes every `record` in it, depending on the seed. */
export function mutated(answer: unknown, seed: number): unknown {
  if (Array.isArray(answer)) return answer.map((part: unknown) => mutated(part, seed));
  if (typeof answer !== 'object' || answer === null) return answer;
  return Object.fromEntries(
    Object.entries(answer).map(([name, part]) => {
      const isRecord = name === 'record' && typeof part === 'object' && part !== null;
      return [name, isRecord ? changed(part as Record<string, unknown>, seed) : mutated(part, seed)];
    }),
  );
}
