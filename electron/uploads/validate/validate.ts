/** Rows of a file to events: every column converted, the row kept or its first fault named, oddities counted. */

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

/** An event as JSON text, or what is wrong with the row. `isUnusual`: a value is outside of what the model names. */
type Validated =
  | { json: string; ownId: string | null; isRepaired: boolean; isUnusual: boolean }
  | { bad: BadRow };

/** A value of a row that cannot be sent. */
export interface Fault {
  column: string;
  value: string;
  reason: string;
}

/** What reading its cells found in a row. */
interface RowContent {
  faults: readonly Fault[];
  ownId: string | null;
  hasTime: boolean;
  /** Values of the row that are sent. */
  values: number;
}

export class RowValidator {
  readonly #plan: ReadingPlan;
  readonly #model: ModelFacts | null;
  /** Fields that a column of the file or a constant fills. */
  readonly #mapped = new Set<string>();
  readonly #known: ReadonlySet<string>;
  readonly #keys: FileKeys;
  readonly #idTarget: string | null;
  readonly #values: FieldValues;
  readonly #counts: LedgerCounts;
  /** Columns of the cells that were edited, by where their row starts; null where none was. */
  readonly editedRows: ReadonlyMap<number, ReadonlySet<string>> | null;
  /** Parts of every event, and what is wrong with those that are none. */
  readonly #constants: { parts: string[]; faults: Fault[] } = { parts: [], faults: [] };

  constructor(plan: ReadingPlan, header: readonly string[] | null, model: ModelFacts | null) {
    this.#plan = plan;
    this.#model = model;
    this.#idTarget = model?.eventIdColumn ?? null;
    this.#known = new Set(plan.columns.map((column) => column.source));
    this.editedRows = editedRows(plan);
    // Rows without an id or a time are bad.
    this.#values = new FieldValues(plan, (field) => this.isId(field) || field.isTime);
    this.#counts = this.#values.counts;
    for (const column of plan.columns)
      for (const options of this.#options(column, header)) this.#values.add(options);
    this.#keys = new FileKeys(plan.columns, header, model);
    for (const { target, type, value } of plan.constants ?? []) {
      // With its converter it has the place of a column that every row fills.
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

  /** JSON of what every event has beside its row, each with its key. */
  get constants(): readonly string[] {
    return this.#constants.parts;
  }

  /** The event id is taken from this one. */
  isId(field: Field): boolean {
    return field.target === this.#idTarget;
  }

  /** An empty cell of an update means "not given": null would wipe what the service holds. */
  get leavesOutNulls(): boolean {
    return this.#plan.mode === 'update';
  }

  /** Names of the columns of the plan, sent or not. */
  get known(): ReadonlySet<string> {
    return this.#known;
  }

  /** Converts one row. Pure but for the counts behind `notes`. */
  check(row: SourceRow): Validated {
    if (row.problem !== null) return { bad: badRow(row, null, row.excerpt, row.problem) };
    this.beginRow();
    const parts: string[] = [];
    const faults: Fault[] = [];
    let ownId: string | null = null;
    let isRepaired = false;
    let isUnusual = false;
    let hasTime = false;
    this.#values.countDoubled(row);
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

  /** One value, replaced or repaired where the plan says how. `isCell`: it is text of a delimited file. */
  convert(field: Field, place: RowPlace, raw: unknown, isCell: boolean): Outcome {
    return this.#values.convert(field, place, raw, isCell);
  }

  /** What is sent in place of values of this row, by column. */
  replacedIn(row: SourceRow): Map<string, Replaced> {
    return this.#values.replacedIn(row);
  }

  beginRow(): void {
    this.#counts.beginRow();
  }

  /** A value that comes to what the same bytes came to before. */
  countAgain(count: RuleCount): void {
    this.#values.countAgain(count);
  }

  /** Columns and keys that are not sent: which of a row have a value. */
  get keys(): FileKeys {
    return this.#keys;
  }

  /** The row as a bad one, where its values are at fault or one is missing; else null. */
  judge(place: RowPlace, { faults, ownId, hasTime, values }: RowContent): BadRow | null {
    const ofConstants = this.#constants.faults;
    const isTimed = hasTime || this.#hasConstant(this.#model?.eventTsColumn);
    const missing = this.#missing(ownId, isTimed, values);
    if (missing === null && faults.length === 0 && ofConstants.length === 0) return null;
    const all = [...ofConstants, ...faults];
    // That a row holds no value at all says nothing new where its values are what is wrong.
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

  /** Rows that cannot be sent because a value the service needs is not there. */
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

  /** Why a replacement or an edit of a cell cannot be sent, in words; null where all of them can. */
  get replacementProblem(): string | null {
    return this.#values.replacementProblem;
  }

  /** Values that do not fit, by column and kind. */
  problems(): ProblemGroup[] {
    return this.#values.problems();
  }

  /** What became of values that did not leave as they stand, and what is not sent. */
  ledger(given: ReadingPlan): ValueLedger {
    const settled = this.settled(given);
    return { changes: this.#counts.list(), leftOut: this.#keys.leftOut(), decisions: settled.decisions };
  }

  /** The columns of `given` with what the rows that were read decide for them. */
  settled(given: ReadingPlan): SettledColumns {
    return settleColumns({ given, fields: this.fields, keys: this.#keys, model: this.#model });
  }

  /** Sentences on what a person should know although no row is bad for it. */
  notes(): string[] {
    const unused = this.fields.flatMap(({ replacements }) => replacements?.notes() ?? []);
    const values = this.fields.flatMap(({ target, facts, oddities }) => oddities.notes(target, facts));
    return [...columnNotes(this.#plan, this.fields, this.#model), ...values, ...unused];
  }
}

function badRow(place: RowPlace, column: string | null, value: string | null, reason: string): BadRow {
  const { row, line, byteStart: byteOffset } = place;
  const name = column === '' ? null : column;
  return { row, line, byteOffset, column: name, value: value === null ? null : excerptOf(value), reason };
}

/** An event id as text, of its JSON. */
export function idText(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}
