/** Decides on one reading for each column from all rows read, and on columns for new keys. Pure. */
import { planColumns } from '../../shared/column-plan.ts';
import type { ColumnQuestion, ColumnReading } from '../../shared/column-reading.ts';
import type { ModelFacts } from '../../shared/upload-columns.ts';
import type { ColumnPlan } from '../../shared/upload-model.ts';
import type { ValueLedger } from '../../shared/value-ledger.ts';
import { type ColumnEvidence, isNumeric, NULL_WORDS } from './column-evidence.ts';
import type { FileKeys } from './file-keys.ts';
import type { ReadingPlan } from './reading-plan.ts';

export interface SettledColumns {
  /** Every column of the plan, and columns for new keys if the plan accepts them. */
  columns: ColumnPlan[];
  /** Columns that new keys would become; empty if the plan accepts them. */
  proposed: ColumnPlan[];
  questions: ColumnQuestion[];
  decisions: ValueLedger['decisions'];
}

interface Parts {
  /** The plan as the person made it. Its settings for columns are not changed. */
  given: ReadingPlan;
  fields: readonly { source: string; evidence: ColumnEvidence }[];
  keys: FileKeys;
  model: ModelFacts | null;
}

export function settleColumns({ given, fields, keys, model }: Parts): SettledColumns {
  const evidence = new Map(fields.map((field) => [field.source, field.evidence]));
  const questions: ColumnQuestion[] = [];
  const decisions: ValueLedger['decisions'] = [];
  const settle = (column: ColumnPlan): ColumnPlan => {
    const found = evidence.get(column.source)?.settle(column.source, column.reading ?? {});
    if (found === undefined) return column;
    if (found.question !== null) questions.push(found.question);
    decisions.push(...found.words.map((words) => ({ source: column.source, words })));
    return Object.keys(found.reading).length === 0 ? column : { ...column, reading: found.reading };
  };
  const columns = given.columns.map(settle);
  // Compares with the person's plan, because an earlier pass may have added columns for keys.
  const known = new Set(given.columns.map(({ source }) => source));
  const added = fields.filter(({ source }) => !known.has(source)).map(({ source }) => source);
  const late = lateColumns(given, [...added, ...keys.extra], model).map(settle);
  const isTaken = given.takesNewKeys === true;
  return {
    columns: isTaken ? [...columns, ...late] : columns,
    proposed: isTaken ? [] : late,
    questions,
    decisions,
  };
}

/**
 * Columns for new keys. A model must have a free column for a key; without a model, the key gets a column of its own
 * name.
 */
function lateColumns(
  { columns, constants = [] }: ReadingPlan,
  names: readonly string[],
  model: ModelFacts | null,
): ColumnPlan[] {
  const taken = new Set([...columns, ...constants].map(({ target }) => target));
  const known = new Set(columns.map(({ source }) => source));
  const news = names.filter((name) => !known.has(name)).map((name) => ({ name, type: 'json' as const }));
  const schema = (model?.columns ?? []).map(({ name, type }) => ({ name, data_type: type }));
  return planColumns(news, schema).filter(({ target }) => target !== null && !taken.has(target));
}

/** The plan for one pass. Undecided settings get the defaults that fit most files. */
export function readingPlan<P extends ReadingPlan>(plan: P, columns: readonly ColumnPlan[]): P {
  return { ...plan, columns: columns.map(withDefaults) };
}

export function withDefaults<C extends Pick<ColumnPlan, 'type' | 'reading'>>(column: C): C {
  const { type, reading } = column;
  if (type === 'str' || type === 'category') return column;
  const nulls = reading?.nulls ?? [...NULL_WORDS];
  const order = type === 'timestamp' ? { days: reading?.days ?? ORDER } : {};
  const decimal = isNumeric(type) ? { decimal: reading?.decimal ?? DECIMAL } : {};
  return { ...column, reading: { ...reading, nulls, ...order, ...decimal } };
}

/** Defaults for a column without evidence of another reading. */
const [ORDER, DECIMAL] = ['month-first', 'point'] as const;

const partsOf = ({ source, target, type, reading }: ColumnPlan): unknown => {
  const { decimal, days, zone, unit }: ColumnReading = reading ?? {};
  return [source, target, type, decimal ?? DECIMAL, days ?? ORDER, zone ?? null, unit ?? null];
};

/**
 * True if both sets of columns read every value the same way. Null words are compared by those searched for, because
 * the ones that occurred are a subset.
 */
export function readsSame(one: readonly ColumnPlan[], other: readonly ColumnPlan[]): boolean {
  return JSON.stringify(one.map(partsOf)) === JSON.stringify(other.map(partsOf));
}
