/** Notes about the columns of an upload that do not make rows bad. */
import { counted } from '../../shared/count-text.ts';
import type { ModelColumnFacts, ModelFacts } from '../../shared/upload-columns.ts';
import type { ReadingPlan } from './reading-plan.ts';
import type { TimeForm } from './time-value.ts';

/** Counts unusual values of a column that do not make a row bad. */
export class Oddities {
  outOfRange = 0;
  newValues = 0;
  readonly newExamples = new Set<string>();
  readonly times = new Set<TimeForm>();

  /** Sentences about the unusual values. `target`: the field of the column. */
  notes(target: string, facts: ModelColumnFacts | null): string[] {
    const notes: string[] = [];
    if (this.outOfRange > 0) {
      notes.push(
        `${target}: ${counted(this.outOfRange, 'value')} outside the model’s range of ${facts?.min ?? '…'} to ${facts?.max ?? '…'}.`,
      );
    }
    if (this.newValues > 0) {
      const examples = [...this.newExamples].join(', ');
      notes.push(
        `${target}: ${counted(this.newValues, 'value')} not among the model’s categories, such as ${examples}.`,
      );
    }
    if (this.times.has('us')) {
      notes.push(
        `${target}: dates are read as month/day/year and sent as 2011-02-01 00:00:00, without a zone.`,
      );
    }
    if (this.times.size > 1) notes.push(`${target}: times are written in ${this.times.size} different ways.`);
    return notes;
  }
}

/** Sentences about columns that exist only in the plan, or only in the model. */
export function columnNotes(
  { constants = [], mode }: ReadingPlan,
  fields: readonly { target: string; facts: ModelColumnFacts | null }[],
  model: ModelFacts | null,
): string[] {
  if (model === null) return [];
  const notes: string[] = [];
  const targets = new Set([...fields, ...constants].map(({ target }) => target));
  const missing = model.columns.filter((column) => !targets.has(column.name)).map((column) => column.name);
  const needed = [model.eventIdColumn, model.eventTsColumn].filter(
    (name) => name !== null && !targets.has(name),
  );
  if (needed.length > 0 && mode === 'publish') {
    notes.push(
      `The model reads the event id or time from ${needed.join(' and ')}, but no column is mapped to it.`,
    );
  }
  if (missing.length > 0 && mode === 'publish') {
    notes.push(`Columns of the model without a value: ${missing.join(', ')}.`);
  }
  const { updatable, eventIdColumn } = model;
  const fixed = model.columns
    .map(({ name }) => name)
    .filter((name) => targets.has(name) && name !== eventIdColumn && updatable?.includes(name) === false);
  if (mode === 'update' && fixed.length > 0) {
    notes.push(
      `Columns that an update does not change at the service, because they are no targets or metadata of the model: ${fixed.join(', ')}.`,
    );
  }
  const unknown = fields.filter((field) => field.facts === null).map((field) => field.target);
  if (unknown.length > 0) notes.push(`Columns that are not in the model: ${unknown.join(', ')}.`);
  return notes;
}
