/**
 * Converts a row that was read as an item (shared/result-columns.ts) to a result of an experiment (SERVICE.md F10.2).
 * Pure.
 */
import { exactNumber, isRawNumber } from '../../shared/exact-json.ts';
import { ITEM_FACTS, RESULT_PLACES } from '../../shared/result-columns.ts';
import { isoTime } from '../../shared/zone-time.ts';
import { epochOf } from '../spans/span-times.ts';

type Fields = Readonly<Record<string, unknown>>;

const STATUSES: readonly unknown[] = ['SUCCESS', 'FAILED', 'SKIPPED'];

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const isNumber = (value: unknown): boolean => typeof value === 'number' || isRawNumber(value);
const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

const PLAIN_SCORE = {
  ...{
    value: null,
    label: null,
    reasoning: null,
    status: 'SUCCESS',
    error_reason: null,
    error_message: null,
  },
} as const;

/** `Judge.quality` means the score `quality` of the evaluator `Judge`. A key without a dot names both. */
function nameOf(key: string): { evaluator_name: string; name: string } {
  const at = key.lastIndexOf('.');
  return at < 1 || at === key.length - 1
    ? { evaluator_name: key, name: key }
    : { evaluator_name: key.slice(0, at), name: key.slice(at + 1) };
}

/** A number becomes a value, a text a label. An empty cell yields no score. */
function scoreOf(key: string, value: unknown): Fields[] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value === 'boolean') return [{ ...nameOf(key), ...PLAIN_SCORE, label: String(value) }];
  if (isNumber(value)) return [{ ...nameOf(key), ...PLAIN_SCORE, value }];
  if (isFields(value)) return [{ ...nameOf(key), ...PLAIN_SCORE, ...value }];
  return [{ ...nameOf(key), ...PLAIN_SCORE, label: String(value) }];
}

/** Scores given as a list in the service's form, or as an object by name. */
function listed(value: unknown): Fields[] {
  if (isFields(value)) return Object.entries(value).flatMap(([key, each]) => scoreOf(key, each));
  return (Array.isArray(value) ? value : [])
    .filter(isFields)
    .map((each) => ({ ...PLAIN_SCORE, ...(isName(each['name']) ? nameOf(each['name']) : {}), ...each }));
}

/** The id of an existing result, if the row has one; null for a new result. */
export function ownIdOf(item: Fields): string | null {
  const id = fieldsOf(item[RESULT_PLACES.item])['experiment_item_id'];
  return isName(id) ? id : null;
}

/**
 * `timestamp`: time in ISO form for a result whose row has none. The id of the result is that of the row, unless the
 * row has another one.
 */
export function resultOfItem(item: Fields, timestamp: string): { experiment_item: Fields; scores: Fields[] } {
  const facts = fieldsOf(item[RESULT_PLACES.item]);
  const known = Object.fromEntries(ITEM_FACTS.map((fact) => [fact, facts[fact] ?? null]));
  const { scores } = fieldsOf(item[RESULT_PLACES.lists]);
  return {
    experiment_item: {
      ...known,
      id: ownIdOf(item) ?? item['id'],
      dataset_item_id: item[RESULT_PLACES.dataset_item_id],
      outputs: fieldsOf(item[RESULT_PLACES.outputs]),
      status: known['status'] ?? 'SUCCESS',
      timestamp: known['timestamp'] ?? timestamp,
    },
    scores: [
      ...Object.entries(fieldsOf(item[RESULT_PLACES.scores])).flatMap(([key, each]) => scoreOf(key, each)),
      ...listed(scores),
    ],
  };
}

/** The reason why the service would refuse the result; null if there is none. */
export function resultProblem(
  item: Fields,
  experimentId: string,
): { column: string; value: string | null; reason: string } | null {
  const { experiment_item: result, scores } = resultOfItem(item, '');
  const { dataset_item_id: datasetItem, status, duration_ms: duration } = result;
  const of = fieldsOf(item[RESULT_PLACES.item])['experiment_id'];
  if (isName(of) && of !== experimentId)
    return {
      ...{ column: 'experiment_id', value: of },
      reason: 'Expected results of this experiment, got those of another: its results would be mixed.',
    };
  if (!isName(datasetItem))
    return {
      column: 'dataset_item_id',
      value: null,
      reason: 'Expected the id of an item of the dataset, got none.',
    };
  if (!STATUSES.includes(status))
    return {
      ...{ column: 'status', value: String(status) },
      reason: `Expected SUCCESS, FAILED or SKIPPED, got ${String(status)}.`,
    };
  if (duration !== null && !isDuration(duration))
    return {
      ...{ column: 'duration_ms', value: String(duration) },
      reason: `Expected a whole number of milliseconds, got ${shown(duration)}.${withoutQuotes(duration)}`,
    };
  const time = fieldsOf(item[RESULT_PLACES.item])['timestamp'] ?? null;
  if (time !== null && (typeof time !== 'string' || isoTime(time) === null))
    return {
      ...{ column: 'timestamp', value: String(time) },
      reason: `Expected a time such as 2026-05-01T12:00:00Z, got ${shown(time)}.${asTime(time)}`,
    };
  const unnamed = scores.find((each) => !isName(each['name']) || !isName(each['evaluator_name']));
  if (unnamed !== undefined)
    return { column: 'scores', value: null, reason: 'Expected evaluator_name and name in each score.' };
  return scores.map(scoreProblem).find((problem) => problem !== null) ?? null;
}

/** Texts are not converted to numbers, because each change would have to be counted. */
const isDuration = (value: unknown): boolean =>
  isNumber(value) && Number.isInteger(Number(value)) && Number(value) >= 0;
const shown = (value: unknown): string => (typeof value === 'string' ? `the text “${value}”` : String(value));

/** Advice for a number in quotes; empty for any other value. */
const withoutQuotes = (value: unknown): string =>
  typeof value === 'string' && exactNumber(value.trim()) !== null
    ? ` Write it without quotes: ${value.trim()}.`
    : '';

/** Advice for a number that is a time since 1970; empty for any other value. */
function asTime(value: unknown): string {
  const epoch = epochOf(value);
  return epoch === null ? '' : ` Write it as ${new Date(Number(epoch.nanos / 1_000_000n)).toISOString()}.`;
}

const asValue = (value: unknown): string =>
  typeof value === 'boolean'
    ? ` Write ${Number(value)} as the value, or "${value}" as the label.`
    : withoutQuotes(value) || (typeof value === 'string' ? ' A text is the label of a score.' : '');

function scoreProblem(score: Fields): ReturnType<typeof resultProblem> {
  const { name, value, label, status } = score;
  const problem = (expected: string, got: unknown, mend = '') => ({
    ...{ column: 'scores', value: String(got) },
    reason: `Expected ${expected} of the score ${String(name)}, got ${shown(got)}.${mend}`,
  });
  if (value !== null && !(isNumber(value) && Number.isFinite(Number(value))))
    return problem('a number as the value', value, asValue(value));
  if (label !== null && typeof label !== 'string')
    return problem('a text as the label', label, ` Write it in quotes: "${String(label)}".`);
  if (!STATUSES.includes(status)) return problem('SUCCESS, FAILED or SKIPPED as the status', status);
  return null;
}
