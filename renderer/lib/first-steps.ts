/** The first steps on Home: their stored state, and the content of their pictures. Pure. */
import { spanTexts } from '../../electron/shared/messages/span-messages.ts';
import type { FilePreview } from '../../electron/shared/upload-model.ts';
import { isObject, type JsonObject, textField } from './records.ts';

/** The steps of the sample workspace, and of a service of one's own. */
export const STEPS = {
  sample: ['trace', 'dataset', 'file'],
  own: ['keep', 'create', 'upload'],
} as const;
export type Step = (typeof STEPS)[keyof typeof STEPS][number];

export interface StoredSteps {
  done: readonly string[];
  isClosed: boolean;
  /** End of the time range that the pictures show: the same queries are answered from the store. */
  endMs: number | null;
}

/** Reads a stored value; anything else counts as nothing done. */
export function readSteps(value: unknown): StoredSteps {
  const { done, isClosed, endMs } = isObject(value) ? value : {};
  return {
    done: Array.isArray(done) ? done.filter((each) => typeof each === 'string') : [],
    isClosed: isClosed === true,
    endMs: typeof endMs === 'number' && Number.isFinite(endMs) ? endMs : null,
  };
}

/** The keys 1 to 9 of Home; null for any other key, and with a modifier. */
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

/** A label or a number in place of a sentence is a decision of the model, not an answer. */
const MIN_WORDS = 4;

/** The first `most` answers with different questions, sentences first; failed and empty ones are left out. */
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
  /** It differs in kind from its column, or is the only one of its value there. */
  mark: 'bad' | 'unusual' | null;
}
export interface FileGlance {
  columns: { name: string; isNumber: boolean }[];
  rows: GlanceCell[][];
}

const NUMBER = /^-?\d+(?:\.\d+)?$/;
/** A column with this share of numbers holds numbers. */
const MOSTLY = 0.8;
/** Values of a column repeat if there are at most this many for each row. */
const FEW = 0.2;

/** The first rows of a file in its most telling columns, at most `size.columns`: those with marked cells first. */
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
