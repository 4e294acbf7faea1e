/** Columns shared by several resources. */
import CircleCheck from '@lucide/svelte/icons/circle-check';
import CircleDashed from '@lucide/svelte/icons/circle-dashed';
import CircleX from '@lucide/svelte/icons/circle-x';
import LoaderCircle from '@lucide/svelte/icons/loader-circle';
import { parseTime } from '../../../electron/shared/zone-time.ts';
import { constantText, yesOrNo } from '../../lib/constant-words.ts';
import { formatJsonLine, formatStamp } from '../../lib/format.ts';
import type { ChipTone, Column, ColumnKind } from '../../lib/grid/columns.ts';
import { jobTone, jobWords } from '../../lib/job-words.ts';
import { referenceName } from '../../lib/records.ts';

/** `2026-11-27 18:00`: seconds do not matter for changes of records. */
export function dayAndMinute(value: unknown): string {
  const ms = parseTime(value);
  return ms === null ? formatJsonLine(value) : formatStamp(ms).slice(0, 16);
}

export function column(
  id: string,
  title: string,
  kind: ColumnKind,
  width: number,
  rest: Partial<Column> = {},
): Column {
  return { id, title, kind, width, get: (row) => row[id], ...rest };
}

export const NAME = column('name', 'Name', 'text', 240, { narrow: 180, startsPinned: true, grows: true });
export const ID = column('id', 'Id', 'id', 140, { startsHidden: true });
export const CREATED = column('created_at', 'Created', 'time', 142, {
  startsHidden: true,
  write: dayAndMinute,
});
export const UPDATED = column('updated_at', 'Updated', 'time', 142, { write: dayAndMinute });

/** A column for the name of a referenced record, sorted by that name. */
export function referenceColumn(id: string, title: string, width = 170): Column {
  return {
    id,
    title,
    kind: 'text',
    width,
    get: (row) => referenceName(row, id),
    sortField: `${id}.name`,
  };
}

export function kindColumn(
  id: string,
  title: string,
  width = 130,
  tones: Readonly<Record<string, ChipTone>> = {},
): Column {
  return column(id, title, 'chip', width, {
    write: constantText,
    words: 'constants',
    tone: (value) => tones[String(value)] ?? 'plain',
  });
}

/** A column for true and false, shown as yes and no. */
export const yesNoColumn = (id: string, title: string, width: number): Column =>
  column(id, title, 'text', width, { write: yesOrNo, words: 'yes-no' });

const JOB_TONES = { ok: 'ok', bad: 'bad', info: 'info', off: 'plain' } as const;
const JOB_ICONS = { ok: CircleCheck, bad: CircleX, info: LoaderCircle, off: CircleDashed } as const;

export const JOB_STATUS = column('status', 'Status', 'chip', 120, {
  write: (value) => jobWords(String(value)),
  words: 'task-states',
  tone: (value) => JOB_TONES[jobTone(String(value))],
  icon: (value) => JOB_ICONS[jobTone(String(value))],
});
