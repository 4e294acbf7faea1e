/** The first steps on Home: their stored state, and the content of their previews. Pure. */
import { spanTexts } from '../../electron/shared/messages/span-messages.ts';
import type { FilePreview } from '../../electron/shared/upload-model.ts';
import { isObject, type JsonObject, textField } from './records.ts';

/** The steps for the sample workspace, and for the user's own service. */
export const STEPS = {
  sample: ['trace', 'dataset', 'file'],
  own: ['keep', 'create', 'upload'],
} as const;
export type Step = (typeof STEPS)[keyof typeof STEPS][number];

export interface StoredSteps {
  done: readonly string[];
  isClosed: boolean;
  /** End of the time range of the previews. It is stored so that the same queries find their stored answers. */
  endMs: number | null;
}

/** Reads a stored value. Anything invalid counts as no step done. */
export function readSteps(value: unknown): StoredSteps {
  const { done, isClosed, endMs } = isObject(value) ? value : {};
  return {
    done: Array.isArray(done) ? done.filter((each) => typeof each === 'string') : [],
    isClosed: isClosed === true,
    endMs: typeof endMs === 'number' && Number.isFinite(endMs) ? endMs : null,
  };
}

/** The digit of a key from 1 to 9; null for any other key, or with a modifier. */
export function digitOf(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>,
): number | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return null;
  return /^[1-9]$/.test(event.key) ? Number(event.key) : null;
}

/** Input and output of a span as text; empty if it has none. */
interface Answer {
  row: JsonObject;
  input: string;
  output: string;
}

const plain = (value: unknown): string =>
  typeof value === 'string' ? value.replace(/\s+/g, ' ').trim() : '';

/** Shorter outputs are labels or numbers, i.e. decisions of a model and not answers. */
const MIN_WORDS = 4;

/** The first `most` answers with different questions; sentences come first. Failed and empty answers are left out. */
export function answersOf(rows: readonly JsonObject[], most: number): Answer[] {
  const found = new Map<string, Answer>();
  for (const row of rows) {
    const texts = spanTexts(row);
    const input = plain(texts.input ?? row['input']);
    const output = plain(texts.output ?? row['output']);
    const isUsable = input !== '' && output !== '' && textField(row, 'status_code') !== 'ERROR';
    if (isUsable && !found.has(input)) found.set(input, { row, input, output });
  }
  const isSentence = ({ output }: Answer) => output.split(' ').length >= MIN_WORDS;
  return [...found.values()].toSorted((a, b) => Number(isSentence(b)) - Number(isSentence(a))).slice(0, most);
}

interface GlanceCell {
  text: string;
  /** `bad`: not a number in a column of numbers. `unusual`: occurs once in a column whose values repeat. */
  mark: 'bad' | 'unusual' | null;
}
export interface FileGlance {
  columns: { name: string; isNumber: boolean }[];
  rows: GlanceCell[][];
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** A column is numeric if at least this share of its values are numbers. */
const MOSTLY = 0.8;
/** The values of a column count as repeating if the distinct ones are at most this share of all values. */
const FEW = 0.2;

/** The first rows of a file, in at most `size.columns` columns; columns with marked cells are preferred. */
export function glanceOf(
  { columns, head }: Pick<FilePreview, 'columns' | 'head'>,
  size: { columns: number; rows: number },
): FileGlance {
  const read = columns.map(({ name }, at) => {
    const texts = head.map(({ cells }) => cells[at] ?? '');
    const filled = texts.filter((text) => text !== '');
    const numbers = filled.filter((text) => NUMBER.test(text)).length;
    const isNumber = filled.length > 0 && numbers >= filled.length * MOSTLY;
    const counts = new Map<string, number>();
    for (const text of filled) counts.set(text, (counts.get(text) ?? 0) + 1);
    const repeats = counts.size <= filled.length * FEW;
    const markOf = (text: string): GlanceCell['mark'] => {
      if (text === '') return null;
      if (isNumber) return NUMBER.test(text) ? null : 'bad';
      return repeats && counts.get(text) === 1 ? 'unusual' : null;
    };
    const cells = texts.slice(0, size.rows).map((text): GlanceCell => ({ text, mark: markOf(text) }));
    return { at, name, isNumber, cells, isMarked: cells.some(({ mark }) => mark !== null) };
  });
  const chosen = read
    .toSorted((a, b) => Number(b.isMarked) - Number(a.isMarked) || a.at - b.at)
    .slice(0, size.columns)
    .toSorted((a, b) => a.at - b.at);
  return {
    columns: chosen.map(({ name, isNumber }) => ({ name, isNumber })),
    rows: head
      .slice(0, size.rows)
      .map((_, row) => chosen.map(({ cells }) => cells[row] ?? { text: '', mark: null })),
  };
}
