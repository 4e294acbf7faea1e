/**
 * Converts rows of a file to events. Every column is converted. A row is either kept or rejected with its first fault,
 * and unusual values are counted.
 */

import { findColumn, type ModelFacts } from '../../shared/upload-columns.ts';
import type { BadRow, ColumnPlan, ProblemGroup } from '../../shared/upload-model.ts';
import type { LedgerCounts, RuleCount, ValueLedger } from '../../shared/value-ledger.ts';
import { excerptOf, type RowPlace, type SourceRow } from '../readers/row-source.ts';
import { type Field, type FieldOptions, FieldValues, type Outcome, rawOf, shown } from './field-values.ts';
import { FileKeys } from './file-keys.ts';
import { columnNotes } from './oddities.ts';
import type { ReadingPlan } from './reading-plan.ts';
import { editedRows, type Replaced } from './replacements.ts';
import { type SettledColumns, settleColumns } from './settle-columns.ts';
import { isBad } from './values.ts';

/** An event as JSON text, or the fault of the row. `isUnusual`: true if the model does not name one of its values. */
type Validated =
  | { json: string; ownId: string | null; isRepaired: boolean; isUnusual: boolean }
  | { bad: BadRow };

/** A value of a row that cannot be sent. */
export interface Fault {
  column: string;
  value: string;
  reason: string;
}

/** The result of reading the cells of a row. */
interface RowContent {
  faults: readonly Fault[];
  ownId: string | null;
  hasTime: boolean;
  /** Number of values of the row that are sent. */
  values: number;
}

export class RowValidator {
  readonly #plan: ReadingPlan;
  readonly #model: ModelFacts | null;
  /** Fields filled by a column of the file or a constant. */
  readonly #mapped = new Set<string>();
  readonly #known: ReadonlySet<string>;
  readonly #keys: FileKeys;
  readonly #idTarget: string | null;
  readonly #values: FieldValues;
  readonly #counts: LedgerCounts;
  /** Columns of the edited cells, by the start offset of their row; null if none was edited. */
  readonly editedRows: ReadonlyMap<number, ReadonlySet<string>> | null;
  /** JSON of the constants for every event, and the faults of invalid ones. */
  readonly #constants: { parts: string[]; faults: Fault[] } = { parts: [], faults: [] };

  constructor(plan: ReadingPlan, header: readonly string[] | null, model: ModelFacts | null) {
    this.#plan = plan;
    this.#model = model;
    this.#idTarget = model?.eventIdColumn ?? null;
    this.#known = new Set(plan.columns.map((column) => column.source));
    this.editedRows = editedRows(plan);
    // Values of these columns are required, because rows without an id or a time are bad.
    this.#values = new FieldValues(plan, (field) => this.isId(field) || field.isTime);
    this.#counts = this.#values.counts;
    for (const column of plan.columns)
      for (const options of this.#options(column, header)) this.#values.add(options);
    this.#keys = new FileKeys(plan.columns, header, model);
    for (const { target, type, value } of plan.constants ?? []) {
      // A constant is converted like a column that has the same value in every row.
      const [options] = this.#options({ source: target, target, type }, null);
      if (options === undefined) continue;
      const field = this.#values.fieldOf(options);
      const json = field.converter.fromText(value);
      if (isBad(json)) this.#constants.faults.push({ column: target, value, reason: json.reason });
      else this.#constants.parts.push(field.key + json);
    }
  }

  #options(column: ColumnPlan, header: readonly string[] | null): FieldOptions[] {
    const { target, source } = column;
    if (target === null) return [];
    const index = header === null ? -1 : header.indexOf(source);
    if (header !== null && index < 0) return [];
    this.#mapped.add(target);
    const facts = this.#model === null ? null : findColumn(this.#model, target);
    const isTime = target === this.#model?.eventTsColumn;
    const time = isTime ? { format: this.#model?.eventTsFormat ?? null } : null;
    return [{ column, target, index, facts, time }];
  }

  /** The columns that are sent, in the order of an event. */
  get fields(): readonly Field[] {
    return this.#values.fields;
  }

  /** JSON of the constants for every event, each with its key. */
  get constants(): readonly string[] {
    return this.#constants.parts;
  }

  /** True if the event id is taken from this field. */
  isId(field: Field): boolean {
    return field.target === this.#idTarget;
  }

  /** An empty cell of an update means "not given": null would delete the stored value. */
  get leavesOutNulls(): boolean {
    return this.#plan.mode === 'update';
  }

  /** Names of the columns of the plan, sent or not. */
  get known(): ReadonlySet<string> {
    return this.#known;
  }

  /** Converts one row. Pure except for the counts behind `notes`. */
  check(row: SourceRow): Validated {
    if (row.problem !== null) return { bad: badRow(row, null, row.excerpt, row.problem) };
    this.beginRow();
    const parts: string[] = [];
    const faults: Fault[] = [];
    let ownId: string | null = null;
    let isRepaired = false;
    let isUnusual = false;
    let hasTime = false;
    this.#values.countOddities(row);
    const edited = this.editedRows?.get(row.byteStart);
    for (const field of this.fields) {
      const isGiven = row.record === null || Object.hasOwn(row.record, field.source);
      if (!isGiven && edited?.has(field.source) !== true) continue;
      const raw = rawOf(field, row);
      const found = this.convert(field, row, raw, row.record === null);
      const { json } = found;
      if (found.isRepaired) isRepaired = true;
      if (found.isUnusual) isUnusual = true;
      if (isBad(json)) {
        faults.push({ column: field.source, value: shown(raw), reason: json.reason });
        continue;
      }
      if (json === 'null' && this.leavesOutNulls && row.record === null) continue;
      if (this.isId(field) && json !== 'null') ownId = idText(json);
      if (field.isTime && json !== 'null') hasTime = true;
      parts.push(field.key + json);
    }
    this.#keys.add(row);
    const bad = this.judge(row, { faults, ownId, hasTime, values: parts.length });
    if (bad !== null) return { bad };
    return { json: `{${[...this.constants, ...parts].join(',')}}`, ownId, isRepaired, isUnusual };
  }

  /**
   * Converts one value. Replaces or repairs it if the plan says so. `isCell`: the value is text of a delimited file.
   */
  convert(field: Field, place: RowPlace, raw: unknown, isCell: boolean): Outcome {
    return this.#values.convert(field, place, raw, isCell);
  }

  /** The replacements of values of this row, by column. */
  replacedIn(row: SourceRow): Map<string, Replaced> {
    return this.#values.replacedIn(row);
  }

  beginRow(): void {
    this.#counts.beginRow();
  }

  /** Counts another value with the same bytes and the same result. */
  countAgain(count: RuleCount): void {
    this.#values.countAgain(count);
  }

  /** Columns and keys that are not sent, with the number of rows that have a value. */
  get keys(): FileKeys {
    return this.#keys;
  }

  /** False if a constant is invalid, which makes every row bad. */
  get canSend(): boolean {
    return this.#constants.faults.length === 0;
  }

  /** True if a row without faults has everything that the service needs. */
  isComplete(ownId: string | null, hasTime: boolean, values: number): boolean {
    if (values === 0 || this.#constants.faults.length > 0) return false;
    const needsMore = this.#idTarget !== null || (this.#model?.eventTsColumn ?? null) !== null;
    return (
      !needsMore ||
      this.#missing(ownId, hasTime || this.#hasConstant(this.#model?.eventTsColumn), values) === null
    );
  }

  /** Returns a bad row if values are faulty or missing; otherwise null. */
  judge(place: RowPlace, { faults, ownId, hasTime, values }: RowContent): BadRow | null {
    const ofConstants = this.#constants.faults;
    const isTimed = hasTime || this.#hasConstant(this.#model?.eventTsColumn);
    const missing = this.#missing(ownId, isTimed, values);
    if (missing === null && faults.length === 0 && ofConstants.length === 0) return null;
    const all = [...ofConstants, ...faults];
    // An empty row is reported as empty only if it has no other fault.
    if (missing !== null && (missing.column !== '' || all.length === 0)) all.push(missing);
    const [first] = all;
    if (first === undefined) return null;
    const others = all.filter(({ column }) => column !== first.column);
    this.#counts.undoRow(place.line);
    const also =
      others.length === 0
        ? ''
        : ` Other columns with problems: ${others.map((fault) => fault.column).join(', ')}.`;
    return badRow(place, first.column, first.value, first.reason + also);
  }

  /** The fault of a row without a value that the service needs; null if it has all of them. */
  #missing(ownId: string | null, hasTime: boolean, values: number): Fault | null {
    const isUpdate = this.#plan.mode === 'update';
    const id = this.#idTarget;
    if (id !== null && (ownId ?? '') === '' && (isUpdate || this.#isMapped(id))) {
      return { column: id, value: '', reason: 'Expected an event id, got no value.' };
    }
    const time = this.#model?.eventTsColumn ?? null;
    if (time !== null && !hasTime && !isUpdate && this.#isMapped(time)) {
      return { column: time, value: '', reason: 'Expected the time of the event, got no value.' };
    }
    return values === 0 ? { column: '', value: '', reason: 'Expected at least one value, got none.' } : null;
  }

  #hasConstant(target: string | null | undefined): boolean {
    return (this.#plan.constants ?? []).some((each) => each.target === target);
  }

  #isMapped(target: string): boolean {
    return this.#mapped.has(target);
  }

  /** The reason why a replacement or a cell edit cannot be sent, as a sentence; null if all can be sent. */
  get replacementProblem(): string | null {
    return this.#values.replacementProblem;
  }

  /** Values that do not fit, by column and kind of problem. */
  problems(): ProblemGroup[] {
    return this.#values.problems();
  }

  /** Changed values, and columns and values that are not sent. */
  ledger(given: ReadingPlan): ValueLedger {
    const settled = this.settled(given);
    return { changes: this.#counts.list(), leftOut: this.#keys.leftOut(), decisions: settled.decisions };
  }

  /** The columns of `given` with the readings that the rows led to. */
  settled(given: ReadingPlan): SettledColumns {
    return settleColumns({ given, fields: this.fields, keys: this.#keys, model: this.#model });
  }

  /** Notes for the person that do not make rows bad. */
  notes(): string[] {
    const values = this.fields.flatMap(({ target, facts, oddities }) => oddities.notes(target, facts));
    return [...columnNotes(this.#plan, this.fields, this.#model), ...values, ...this.#values.notes()];
  }
}

function badRow(place: RowPlace, column: string | null, value: string | null, reason: string): BadRow {
  const { row, line, byteStart: byteOffset } = place;
  const name = column === '' ? null : column;
  return { row, line, byteOffset, column: name, value: value === null ? null : excerptOf(value), reason };
}

/** The text of an event id that is given as JSON. */
export function idText(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}
