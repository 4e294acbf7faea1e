/** Compares two readings of a model, as far as they concern the fields that an upload sends. Pure. */
import { numberText } from '../shared/count-text.ts';
import { AppError } from '../shared/errors.ts';
import { findColumn, type ModelColumnFacts, type ModelFacts } from '../shared/upload-columns.ts';
import type { UploadPlan } from '../shared/upload-model.ts';

type SentFields = Pick<UploadPlan, 'columns' | 'constants' | 'mode'>;
type SentField = Pick<ModelColumnFacts, 'name' | 'type'>;

export interface ModelChanges {
  /** Changes by which values would go to a missing field or have the wrong type: expected, got. */
  misfits: string[];
  /** True if values are judged in another way, because the range or the categories of a sent field differ. */
  isJudgedOtherwise: boolean;
}

export const SAME_MODEL: ModelChanges = { misfits: [], isJudgedOtherwise: false };
const MAX_NAMED = 5;

/** `now`: null if the model names no columns any more. */
export function modelChanges(before: ModelFacts, now: ModelFacts | null, plan: SentFields): ModelChanges {
  if (now === null) return { misfits: ['expected its columns, got none'], isJudgedOtherwise: false };
  const fields = sentFields(plan);
  const columns = fields.map((field) => ({
    field,
    was: findColumn(before, field.name),
    is: findColumn(now, field.name),
  }));
  const special = specialChanges(before, now, plan, new Set(fields.map(({ name }) => name)));
  return {
    misfits: [...columns.flatMap(({ field, was, is }) => misfitOf(field, was, is) ?? []), ...special],
    isJudgedOtherwise: columns.some(({ was, is }) => judgedBy(was) !== judgedBy(is)),
  };
}

/** Throws CONFLICT if values would go to a missing field or have the wrong type. `hasSent`: some rows were sent. */
export function refuseMisfits(
  { misfits }: ModelChanges,
  { modelName, fileName, hasSent }: { modelName: string; fileName: string; hasSent: boolean },
): void {
  if (misfits.length === 0) return;
  const shown = misfits.slice(0, MAX_NAMED).join('; ');
  const rest = misfits.length - MAX_NAMED;
  const more = rest > 0 ? `; and ${numberText(rest)} more` : '';
  const unsent = hasSent ? 'No further rows were sent' : 'Nothing was sent';
  throw new AppError(
    'CONFLICT',
    `The model ${modelName} changed after ${fileName} was checked: ${shown}${more}. ${unsent}. Check the file again and send it as a new upload, or restore the model and resume this one.`,
    { outcome: 'unsent' },
  );
}

function sentFields({ columns, constants = [] }: SentFields): SentField[] {
  return [...columns, ...constants].flatMap(({ target, type }) =>
    target === null ? [] : [{ name: target, type }],
  );
}

function misfitOf(
  field: SentField,
  was: ModelColumnFacts | null,
  is: ModelColumnFacts | null,
): string | null {
  const name = `“${field.name}”`;
  // A field that the model did not have was sent knowingly. It only matters if the model now has it with another type.
  if (was === null)
    return is === null || is.type === null || is.type === field.type
      ? null
      : `expected no column ${name}, got one of type ${is.type}`;
  if (is === null) return `expected the column ${name}, got none`;
  if (is.name !== was.name) return `expected the column “${was.name}”, got “${is.name}”`;
  if (is.type !== was.type) return `expected ${name} of type ${typeText(was)}, got ${typeText(is)}`;
  if (is.dimensions !== was.dimensions) return `expected ${sizeText(was)} in ${name}, got ${sizeText(is)}`;
  return null;
}

const typeText = ({ type }: ModelColumnFacts): string => type ?? 'an unknown type';
const sizeText = ({ dimensions }: ModelColumnFacts): string =>
  `${dimensions === null ? 'any number of' : numberText(dimensions)} dimensions`;

/** Changes of the columns for the id and the time of an event. */
function specialChanges(
  before: ModelFacts,
  now: ModelFacts,
  { mode }: SentFields,
  sent: ReadonlySet<string>,
): string[] {
  const isSent = (...names: (string | null)[]) => names.some((name) => name !== null && sent.has(name));
  const found: string[] = [];
  const [id, nowId] = [before.eventIdColumn, now.eventIdColumn];
  if (id !== nowId && (mode === 'update' || isSent(id, nowId)))
    found.push(`expected the event id in ${columnText(id)}, got it in ${columnText(nowId)}`);
  const [time, nowTime] = [before.eventTsColumn, now.eventTsColumn];
  if (time !== nowTime && isSent(time, nowTime))
    found.push(`expected the event time in ${columnText(time)}, got it in ${columnText(nowTime)}`);
  const [format, nowFormat] = [before.eventTsFormat, now.eventTsFormat];
  if (time === nowTime && format !== nowFormat && isSent(time))
    found.push(`expected event times as ${format ?? 'any format'}, got ${nowFormat ?? 'any format'}`);
  return found;
}

const columnText = (name: string | null): string => (name === null ? 'no column' : `“${name}”`);

function judgedBy(column: ModelColumnFacts | null): string {
  return JSON.stringify(column === null ? null : [column.min, column.max, column.categories]);
}
