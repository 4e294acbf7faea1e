/** Reads a trace as Langfuse downloads and returns it: its observations, each a span. Pure. */
import { isObject } from '../items/flattened.ts';

type Fields = Record<string, unknown>;

const hasTexts = (row: Fields, ...names: readonly string[]): boolean =>
  names.every((name) => typeof row[name] === 'string' && row[name] !== '');

/** Known types of observations. Other types count if the observation has a start. */
const TYPE = /^(?:span|generation|event|agent|tool|chain|retriever|evaluator|embedding|guardrail)$/i;

function isObservation(each: Fields): boolean {
  const { type } = each;
  const isKnown = typeof type === 'string' && TYPE.test(type);
  return hasTexts(each, 'id', 'traceId', 'type') && (isKnown || hasTexts(each, 'startTime'));
}

/**
 * The observations of a trace, null if the record is no trace. Each gets the session of the trace; those without a parent
 * also get its other fields, under `trace`.
 */
export function observationsOf(record: Fields): Fields[] | null {
  const { observations, ...own } = record;
  const { trace: inner } = own;
  const trace = isObject(inner) ? inner : own;
  const list = Array.isArray(observations) ? observations : isObject(inner) ? inner['observations'] : null;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject)) return null;
  if (!list.every(isObservation)) return null;
  const { id: _id, observations: _list, ...about } = trace;
  const session = trace['sessionId'];
  return list.map((each) => {
    const isRoot = (each['parentObservationId'] ?? '') === '';
    return {
      ...(typeof session === 'string' && session !== '' ? { session_id: session } : {}),
      ...each,
      ...(isRoot ? { trace: about } : {}),
    };
  });
}
