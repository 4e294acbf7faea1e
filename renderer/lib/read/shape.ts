/** Finds the best ways to display a value, by its shape. Pure. */

import { isNested, type Message, readNested } from '../../../electron/shared/messages/message.ts';
import { readMessages } from '../../../electron/shared/messages/read-messages.ts';
import { isObject, type JsonObject } from '../records.ts';
import { type Binary, readBinary } from './binary.ts';
import { isFlat } from './flat-fields.ts';
import { looksLikeMarkdown } from './markdown.ts';

export const READ_VIEWS = {
  chat: 'Chat',
  fields: 'Fields',
  table: 'Table',
  formatted: 'Formatted',
  text: 'Text',
  json: 'JSON',
} as const;
export type ReadViewName = keyof typeof READ_VIEWS;

interface Shape {
  /** All forms in which the value can be displayed, the best one first. */
  views: readonly ReadViewName[];
  /** The value; JSON in a text is parsed. */
  value: unknown;
  messages: Message[] | null;
  table: Table | null;
  binary: Binary | null;
}

interface Table {
  columns: string[];
  rows: JsonObject[];
}

/** Wider tables, and tables whose rows share few fields, are displayed better as a tree. */
const MAX_COLUMNS = 40;
const MIN_FILLED = 0.5;

/** The value as a table, if it is a list of rows that share most of their fields; otherwise null. */
function readTable(value: unknown, minRows: number): Table | null {
  if (!Array.isArray(value) || value.length < minRows || !value.every(isObject)) return null;
  const columns = [...new Set(value.slice(0, 200).flatMap((row) => Object.keys(row)))];
  if (columns.length === 0 || columns.length > MAX_COLUMNS) return null;
  const filled = value.reduce((sum, row) => sum + Object.keys(row).length, 0);
  return filled / (columns.length * value.length) < MIN_FILLED ? null : { columns, rows: value };
}

/** `minRows`: fewer rows of a list are displayed as a tree. */
export function readShape(raw: unknown, minRows = 2): Shape {
  const value = readNested(raw);
  const none = { value, messages: null, table: null, binary: null };
  if (typeof value === 'string') {
    const binary = readBinary(value);
    if (binary !== null) return { ...none, binary, views: ['text'] };
    return { ...none, views: looksLikeMarkdown(value) ? ['formatted', 'text'] : ['text'] };
  }
  if (!isNested(value)) return { ...none, views: ['json'] };
  const messages = readMessages(value);
  if (messages !== null) return { ...none, messages, views: ['chat', 'json', 'text'] };
  if (isFlat(value)) return { ...none, views: ['fields', 'json', 'text'] };
  const table = readTable(value, minRows);
  return { ...none, table, views: table === null ? ['json', 'text'] : ['table', 'json', 'text'] };
}
