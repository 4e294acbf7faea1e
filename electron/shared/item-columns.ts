/** Suggests where each column of a file goes in the items of a dataset. Pure. */
import { BUCKETS, type Bucket } from './dataset-model.ts';
import { CELLS_COLUMN } from './item-cells.ts';
import { ITEM_PLACES, type ItemColumn, type ItemPlace } from './items-model.ts';
import type { PreviewColumn } from './upload-model.ts';

/** Keys of a dataset's items, by bucket. */
type KnownKeys = Readonly<Partial<Record<Bucket, readonly string[]>>>;

/** Fields of a schema answer (SERVICE.md S2.6). */
export function knownKeys(schema: Readonly<Record<string, unknown>> | null): KnownKeys {
  return Object.fromEntries(
    BUCKETS.map((bucket) => {
      const fields = schema?.[bucket];
      return [bucket, typeof fields === 'object' && fields !== null ? Object.keys(fields) : []];
    }),
  );
}

/** Columns with objects next to `inputs` in exports of other tools; the first one present is the expected output. */
const PAIRED = ['reference_outputs', 'expectations', 'outputs'] as const;
type Place = Pick<ItemColumn, 'place' | 'field'>;

function pairedPlace(
  columns: readonly Pick<PreviewColumn, 'name' | 'type'>[],
  name: string,
  hasExpected: boolean,
): Place | null {
  const objects = columns.flatMap((column) => (column.type === 'json' ? [column.name] : []));
  if (!objects.includes('inputs') || !objects.includes(name)) return null;
  const expected = PAIRED.find((each) => objects.includes(each));
  const isAnswer = name === 'outputs' && hasExpected;
  if (name === expected && !isAnswer) return { place: 'expected_outputs', field: '' };
  // The answers of a run, next to the expected ones.
  return name === 'outputs' ? { place: 'extras', field: name } : null;
}

/**
 * Column names of expected outputs in common files and in those of OpenAI's evals, promptfoo, TruthfulQA, GPQA and
 * HumanEval.
 */
const EXPECTED =
  /^_*(expect(?:ed|ations?$)|answer|output|label|reference|target|ground.?truth|completion|response|gold|ideal|solution|correct(?!ness|ed|ion)|chosen$|(best|accepted|canonical|final|true).(answer|solution|label|output|response))/i;
/**
 * Column names of a model's answers and of wrong answers. Among the inputs, they would show an evaluated model what to
 * write or avoid.
 */
const ANSWERED =
  /^((actual|generated|predicted|model|incorrect|wrong).(answer|output|response|label|completion)|predict(ion|ed)s?$|rejected$)/i;
/** Column names of expected outputs. */
const SURELY_EXPECTED =
  /^_*(?:(?:expected|golden|gold)(?:.(?:outputs?|answers?|response|result))?|reference(?:s|.(?:outputs?|answers?|response))?|ground.?truths?|expectations?|ideal)$/i;
/** Column names of a model's answers in files with expected outputs, as of Ragas, DeepEval and MLflow. */
const OFTEN_ANSWERED = /^(?:outputs?|answer|response|completion)$/i;
const EXTRAS = /(^|[_.])(cost|latency|duration|tokens?|score|confidence)($|[_.])/i;
const METADATA =
  /^(id|row|date|time|timestamp|created|updated|model|version|source|lang|language|category|split|topic|tags?|intent|user|session|trace|span)\b|(_id|_at|_time|_date)$/i;

/**
 * Suggests places by column name: first names such as `inputs.question` and whole buckets, as in an export of items,
 * then keys of the dataset, then the usual meaning of the name. No key of a bucket is suggested twice.
 */
export function suggestItemColumns(
  columns: readonly Pick<PreviewColumn, 'name' | 'type'>[],
  known: KnownKeys,
): ItemColumn[] {
  const taken = new Set<string>();
  const hasExpected = columns.some(({ name }) => SURELY_EXPECTED.test(words(name)));
  const isMarked = columns.some(({ name }) => name === CELLS_COLUMN);
  return columns.map(({ name, type }, index) => {
    // A row in JSON may have a key without a name, as the index of a table; no item can.
    if (name === '') return { source: name, type, place: 'inputs', field: freeName(columns, index) };
    const at = isMarked
      ? ownPlace(name)
      : (pairedPlace(columns, name, hasExpected) ?? placeOf(name, type, { known, hasExpected }));
    const key = `${at.place}.${at.field}`;
    const isTaken = taken.has(key);
    taken.add(key);
    return { source: name, type, ...(isTaken ? { place: null, field: at.field } : at) };
  });
}

function freeName(columns: readonly Pick<PreviewColumn, 'name'>[], index: number): string {
  const numbered = `column_${index + 1}`;
  return columns.some(({ name }) => name === numbered) ? `${numbered}_without_name` : numbered;
}

/** Place of a column in a file of items exported by Spandeck: a bucket or an origin field of an item. */
const ownPlace = (name: string): Pick<ItemColumn, 'place' | 'field'> =>
  readPlace(name) ?? { place: null, field: name };

function placeOf(
  name: string,
  type: PreviewColumn['type'],
  { known, hasExpected }: { known: KnownKeys; hasExpected: boolean },
): Pick<ItemColumn, 'place' | 'field'> {
  if (name === LOST_NAME) return { place: null, field: name };
  const typed = readPlace(name);
  // A single word, e.g. `metadata`, may also name a plain text column.
  if (typed !== null && (typed.field !== '' || isOrigin(typed.place) || type === 'json')) return typed;
  const held = BUCKETS.find((bucket) => known[bucket]?.includes(name));
  if (held !== undefined) return { place: held, field: name };
  // An id is never suggested, because each item gets a new one.
  if (name === 'id' || name === 'created_at' || name === 'updated_at') return { place: null, field: name };
  if (name === 'span_id') return { place: 'source_id', field: '' };
  if (hasExpected && OFTEN_ANSWERED.test(name)) return { place: 'extras', field: name };
  return { place: usualPlace(words(name)), field: name };
}

/** The name with underscores between its words. */
const words = (name: string): string => name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_');

/** `name` has underscores between its words, as in `created_at`. */
function usualPlace(name: string): Bucket {
  if (EXPECTED.test(name)) return 'expected_outputs';
  if (ANSWERED.test(name) || EXTRAS.test(name)) return 'extras';
  return METADATA.test(name) ? 'metadata' : 'inputs';
}

/** Field name that JSON parsers drop, here and at a service. */
export const LOST_NAME = '__proto__';

const isOrigin = (place: ItemPlace | null): boolean => place === 'source_name' || place === 'source_id';

/**
 * Parses `inputs.question`, or `metadata` for all keys of an object; null if it does not begin with a bucket, or if its
 * key cannot be sent.
 */
export function readPlace(text: string): { place: ItemPlace; field: string } | null {
  const place = ITEM_PLACES.find((each) => text === each || text.startsWith(`${each}.`));
  if (place === undefined) return null;
  const field = text.slice(place.length + 1);
  return (isOrigin(place) && field !== '') || field === LOST_NAME ? null : { place, field };
}
