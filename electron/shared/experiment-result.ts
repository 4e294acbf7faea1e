/**
 * Reads a result of an experiment. The names of its fields are not published (SERVICE.md F10.3), so the names of an
 * upload's body are searched for in the record and in the objects inside it; everything else stays in the record. Pure.
 */
import { isRawNumber } from './exact-json.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface ResultScore {
  evaluator: string;
  name: string;
  value: number | null;
  label: string | null;
  reasoning: string | null;
  /** SUCCESS, FAILED, SKIPPED, or another word as received; empty if there is none. */
  status: string;
  error: string | null;
}

export interface ExperimentResult {
  /** Id of the item within the experiment; empty if the result has none. */
  itemId: string;
  datasetItemId: string;
  inputs: Fields | null;
  expectedOutputs: Fields | null;
  outputs: Fields | null;
  scores: readonly ResultScore[];
  /** The text as received; empty if there is none. */
  status: string;
  errorReason: string | null;
  errorMessage: string | null;
  durationMs: number | null;
  timestamp: string | null;
  /** The trace that the service names (not published) or that the run wrote into its outputs; null without one. */
  traceId: string | null;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

const NONE: Fields = {};
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : NONE);
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
/** Also accepts a number that was sent as text. */
function numberOf(value: unknown): number | null {
  if (typeof value === 'number' || isRawNumber(value)) return Number(value);
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** The first of these records that has one of the fields. */
function find<T>(
  records: readonly Fields[],
  names: readonly string[],
  read: (value: unknown) => T | null,
): T | null {
  for (const record of records) {
    for (const name of names) {
      const value = read(record[name]);
      if (value !== null) return value;
    }
  }
  return null;
}

const object = (value: unknown): Fields | null => (isFields(value) ? value : null);

function readScore(value: unknown): ResultScore | null {
  if (!isFields(value)) return null;
  const evaluator = textOf(value['evaluator_name']) ?? textOf(value['evaluator']) ?? '';
  const name = textOf(value['name']) ?? textOf(value['score_name']) ?? evaluator;
  return {
    evaluator,
    name,
    value: numberOf(value['value'] ?? value['score_value']),
    label: textOf(value['label']),
    reasoning: textOf(value['reasoning']),
    status: textOf(value['status']) ?? '',
    error: textOf(value['error_message']) ?? textOf(value['error_reason']),
  };
}

export function readResult(record: Fields): ExperimentResult {
  const item = fieldsOf(record['experiment_item']);
  const of = fieldsOf(record['dataset_item']);
  const scores = [record['scores'], item['scores']].find(Array.isArray) ?? [];
  const ownId = isFields(record['experiment_item']) ? textOf(item['id']) : null;
  const outputs = find([item, record], ['outputs'], object);
  return {
    itemId: ownId ?? find([record, item], ['experiment_item_id', 'id'], textOf) ?? '',
    datasetItemId: find([item, record], ['dataset_item_id'], textOf) ?? textOf(of['id']) ?? '',
    inputs: find([of, record, item], ['inputs'], object),
    expectedOutputs: find([of, record, item], ['expected_outputs'], object),
    outputs,
    scores: scores.flatMap((each) => readScore(each) ?? []),
    status: find([item, record], ['status'], textOf) ?? '',
    errorReason: find([item, record], ['error_reason'], textOf),
    errorMessage: find([item, record], ['error_message'], textOf),
    durationMs: find([item, record], ['duration_ms'], numberOf),
    timestamp: find([item, record], ['timestamp', 'created_at'], textOf),
    traceId: find([item, record, outputs ?? NONE], ['trace_id'], textOf),
  };
}

/** Keys under which people look first for the main text of a bucket. */
const MAIN = ['question', 'query', 'prompt', 'input', 'answer', 'response', 'output', 'text', 'completion'];

/** The main text of inputs or outputs: the field that usually has it, otherwise the first text, otherwise the JSON. */
export function mainText(fields: Fields | null): string {
  if (fields === null) return '';
  const names = Object.keys(fields);
  if (names.length === 0) return '';
  const named =
    MAIN.find((name) => typeof fields[name] === 'string') ??
    names.find((name) => typeof fields[name] === 'string');
  return named === undefined ? JSON.stringify(fields) : String(fields[named]);
}

/** The status SUCCESS, and the words for it in other parts of the interface. */
const GOOD: ReadonlySet<string> = new Set(['SUCCESS', 'COMPLETED', '']);

export type ResultFate = 'good' | 'failed' | 'skipped' | 'other';

/** The fate of the item, for counting; a status that is not published counts as `other`. */
export function fateOf({ status }: Pick<ExperimentResult, 'status'>): ResultFate {
  if (GOOD.has(status)) return 'good';
  if (status === 'FAILED') return 'failed';
  return status === 'SKIPPED' ? 'skipped' : 'other';
}

/** The score of one evaluator as one text or number: the number if there is one, otherwise the label. */
export const scoreValueOf = ({
  value,
  label,
}: Pick<ResultScore, 'value' | 'label'>): string | number | null => value ?? label;

export interface ScoreSummary {
  evaluator: string;
  name: string;
  /** Mean of a score; null if it has labels only, or if its mean is not known. */
  mean: number | null;
  count: number | null;
}

/**
 * The means in the answer of an experiment's metrics. Its form is not published: any list of objects with an evaluator
 * and a mean is accepted.
 */
export function readMetrics(record: Fields): ScoreSummary[] {
  const list = Object.values(record).find((value) => Array.isArray(value) && value.some(isFields));
  return (Array.isArray(list) ? list : []).flatMap((each: unknown) => {
    const score = readScore(each);
    if (score === null || score.name === '' || !isFields(each)) return [];
    const { evaluator, name } = score;
    return {
      evaluator,
      name,
      mean: find([each], ['mean', 'average', 'avg'], numberOf),
      count: numberOf(each['count']),
    };
  });
}
