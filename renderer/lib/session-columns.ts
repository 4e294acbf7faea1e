/** Columns of sessions, in rows of two lines. They have the field names of spans if the meaning is the same. */
import { dollarsText } from '../../electron/shared/money-text.ts';
import { formatDuration } from './format.ts';
import type { Column, Row } from './grid/columns.ts';
import type { FieldWords } from './inspect.ts';
import { spanLine, timeText } from './span-columns.ts';

const LABELS = {
  input: 'First question',
  output: 'Last answer',
  status_message: 'Last error',
  session_id: 'Session',
  turns: 'Turns',
  spans: 'Spans',
  errors: 'Errors',
  tokens: 'Tokens',
  input_tokens: 'Tokens in',
  output_tokens: 'Tokens out',
  cost_usd: 'Cost',
  agent_name: 'Agents',
  length_ms: 'Length',
  start_time: 'Start',
  last_time: 'Last span',
} as const;
type SessionField = keyof typeof LABELS;

const lengthText = (ms: unknown): string => (typeof ms === 'number' ? formatDuration(ms) : '');

function column(id: SessionField, kind: Column['kind'], width: number, rest: Partial<Column> = {}): Column {
  return { id, title: LABELS[id], kind, width, get: (row: Row) => row[id], ...rest };
}

/** `rows`: the loaded rows. If none of them has a cost, there is no column for it. */
export function sessionColumns(
  rows: readonly Row[],
  draws: Readonly<Record<'mark' | 'exchange' | 'errors', NonNullable<Column['draw']>>>,
): Column[] {
  const hasCost = rows.some((row) => row['cost_usd'] !== undefined);
  const unsorted = { sortField: null } as const;
  return [
    {
      ...column('errors', 'text', 10, { draw: draws.mark, isTight: true, startsPinned: true }),
      ...{ ...unsorted, id: 'mark', title: 'State', get: ({ errors }: Row) => errors },
    },
    {
      ...{ id: 'exchange', title: 'First question and last answer', kind: 'text', width: 260, narrow: 240 },
      get: (row) =>
        [spanLine(row, 'input'), spanLine(row, 'output')].filter((text) => text !== '').join(' → '),
      ...{ ...unsorted, isPrivate: true, grows: true, draw: draws.exchange },
      parts: [column('input', 'text', 260), column('output', 'text', 260)],
    },
    column('turns', 'number', 68),
    column('errors', 'number', 68, { draw: draws.errors }),
    column('tokens', 'number', 76, { absentText: '–' }),
    ...(hasCost
      ? [
          column('cost_usd', 'number', 88, {
            absentText: '–',
            write: (value) => (typeof value === 'number' ? dollarsText(value) : ''),
          }),
        ]
      : []),
    column('last_time', 'time', 130, { write: timeText }),
    column('agent_name', 'text', 140, { startsHidden: true, ...unsorted }),
    column('spans', 'number', 68, { startsHidden: true }),
    column('length_ms', 'number', 90, { startsHidden: true, write: lengthText }),
    column('start_time', 'time', 130, { startsHidden: true, write: timeText }),
    column('status_message', 'text', 200, { startsHidden: true, ...unsorted }),
    column('session_id', 'id', 140, { startsHidden: true, ...unsorted }),
  ];
}

/** The starts of the spans that sessions are selected by, as opposed to the starts of the sessions. */
export const SPAN_STARTS: Column = column('start_time', 'time', 130, {
  title: 'Spans started',
  write: timeText,
});

/** The labels of the columns, for a session in the inspector. */
export const SESSION_WORDS: FieldWords = {
  labels: { ...LABELS, length_ms: 'Length', status_code: 'Status' },
  write: { length_ms: lengthText },
};
