/** Rows of a file to events: every column converted, the row kept or its first fault named, oddities counted. */

import { isRawNumber, writeExact } from '../../shared/exact-json.ts';
import { findColumn, type ModelColumnFacts, type ModelFacts } from '../../shared/upload-columns.ts';
import type { BadRow, ColumnPlan, ProblemGroup, ProblemKind, RepairKind } from '../../shared/upload-model.ts';
import { LedgerCounts, type RuleCount, type ValueLedger, type ValueRule } from '../../shared/value-ledger.ts';
import { excerptOf, type RowPlace, type SourceRow } from '../readers/row-source.ts';
import { ColumnEvidence, isNumeric } from './column-evidence.ts';
import { FileKeys } from './file-keys.ts';
import { columnNotes, Oddities } from './oddities.ts';
import { ProblemGroups } from './problem-groups.ts';
import type { ReadingPlan } from './reading-plan.ts';
import { problemOf, type RepairColumn, repairText } from './repairs.ts';
import { ColumnReplacements, editedRows, type Replaced } from './replacements.ts';
import { type SettledColumns, settleColumns } from './settle-columns.ts';
import { formatCheck } from './timestamps.ts';
import { type Converted, type Converter, createConverter, isBad } from './values.ts';

/** An event as JSON text, or what is wrong with the row. `isUnusual`: a value is outside of what the model names. */
type Validated =
  | { json: string; ownId: string | null; isRepaired: boolean; isUnusual: boolean }
  | { bad: BadRow };

/** A column that is sent. */
export interface Field {
  source: string;
  type: ColumnPlan['type'];
  /** Position among the cells; -1 in JSON files. */
  index: number;
  /** JSON text of the target name with its colon. */
  key: string;
  target: string;
  converter: Converter;
  facts: ModelColumnFacts | null;
  /** JSON texts of the model's categories; null where it names none. */
  categories: ReadonlySet<string> | null;
  isTime: boolean;
  /** What the plan does with values that do not fit, by how they do not. */
  repairs: ReadonlyMap<ProblemKind, RepairKind>;
  /** Values and cells that are replaced; null where there are none. */
  replacements: ColumnReplacements | null;
  column: RepairColumn;
  plan: ColumnPlan;
  evidence: ColumnEvidence;
  /** Its texts say how the column is to be read: numbers, and times that are not in the format of the model. */
  isLookedAt: (text: string) => boolean;
  counts: Map<ValueRule, RuleCount>;
}

/** A value of a row that cannot be sent. */
export interface Fault {
  column: string;
  value: string;
  reason: string;
}

/** A value that could be sent, and is unusual. */
interface Odd {
  reason: string;
  isOf: 'range' | 'categories';
  json: string;
}

/** What reading its cells found in a row. */
interface RowContent {
  faults: readonly Fault[];
  ownId: string | null;
  hasTime: boolean;
  /** Values of the row that are sent. */
  values: number;
}

/** What one value comes to. */
interface Outcome {
  json: Converted;
  isRepaired: boolean;
  /** It is sent as it is, although the model does not name it. */
  isUnusual: boolean;
  /** It was counted or repaired: each of its kind has to be. */
  isCounted: boolean;
  /** Rules by which it does not leave as it stands. */
  counts: readonly RuleCount[];
}
const NO_COUNTS: readonly RuleCount[] = [];
const NO_RULES: readonly ValueRule[] = [];

/** A value that fits as it is. */
function fitting(json: Converted): Outcome {
  return { json, isRepaired: false, isUnusual: false, isCounted: false, counts: NO_COUNTS };
}

/** A value that does not fit, with its text and where it stands. */
interface Misfit {
  field: Field;
  place: RowPlace;
  text: string;
  odd: Odd | { reason: string };
}

const RULE_OF_REPAIR: Readonly<Record<RepairKind, ValueRule>> = {
  trim: 'repaired-text',
  'decimal-comma': 'decimal-comma',
  thousands: 'thousands',
  'null-word': 'null-word',
  spelling: 'spelling',
  'true-false': 'true-false',
  'day-first': 'day-first',
  'month-name': 'month-name',
  'compact-date': 'time-form',
  null: 'repaired-null',
};

export class RowValidator {
  readonly #plan: ReadingPlan;
  readonly #model: ModelFacts | null;
  readonly #fields: Field[];
  readonly #known: ReadonlySet<string>;
  readonly #oddities = new Map<string, Oddities>();
  readonly #keys: FileKeys;
  readonly #idTarget: string | null;
  readonly #groups = new ProblemGroups();
  readonly #counts = new LedgerCounts();
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
    this.#fields = plan.columns.flatMap((column) => this.#field(column, header));
    this.#keys = new FileKeys(plan.columns, header, model);
    for (const { target, type, value } of plan.constants ?? []) {
      // With its converter it has the place of a column that every row fills.
      const [field] = this.#field({ source: target, target, type }, null);
      const json = field?.converter.fromText(value);
      if (field === undefined || json === undefined) continue;
      if (isBad(json)) this.#constants.faults.push({ column: target, value, reason: json.reason });
      else this.#constants.parts.push(field.key + json);
    }
  }

  #field(column: ColumnPlan, header: readonly string[] | null): Field[] {
    const { target, source, type } = column;
    if (target === null) return [];
    const index = header === null ? -1 : header.indexOf(source);
    if (header !== null && index < 0) return [];
    const facts = this.#model === null ? null : findColumn(this.#model, target);
    const oddities = new Oddities();
    this.#oddities.set(target, oddities);
    const isTime = target === this.#model?.eventTsColumn;
    const named = facts?.categories ?? null;
    const categories = named === null ? null : new Set(named.map((category) => JSON.stringify(category)));
    const evidence = new ColumnEvidence(type);
    const timeFormat = isTime ? (this.#model?.eventTsFormat ?? null) : null;
    const isOwnFormat = formatCheck(timeFormat);
    const converter = createConverter({
      type,
      reading: column.reading,
      nullWords: this.#plan.dialect.nullWords,
      categories: type === 'category' ? (facts?.categories ?? null) : null,
      dimensions: facts?.dimensions ?? null,
      timeFormat,
      onTime: ({ form, isZoneless }) => {
        oddities.times.add(form);
        if (isZoneless) evidence.hasZoneless = true;
      },
    });
    const repairs = new Map(
      (this.#plan.repairs ?? []).flatMap((each) =>
        each.source === source ? [[each.problem, each.kind] as const] : [],
      ),
    );
    const key = `${JSON.stringify(target)}:`;
    const own = { type, categories: facts?.categories ?? null };
    const place = { source, type, index, key, target };
    const isLookedAt = isNumeric(type)
      ? () => true
      : (text: string) => type === 'timestamp' && isOwnFormat?.(text) !== true;
    const known = { plan: column, evidence, isLookedAt, counts: new Map<ValueRule, RuleCount>() };
    const fields = { ...place, ...known, converter, facts, categories, isTime, repairs, column: own };
    const replacements = ColumnReplacements.of(this.#plan, source, (text) => this.#strictly(fields, text));
    return [{ ...fields, replacements }];
  }

  /** The JSON of a text in which nothing is unusual, or what is wrong with it. */
  #strictly(field: Pick<Field, 'converter' | 'facts' | 'categories'>, text: string | null): Converted {
    const json = text === null ? 'null' : field.converter.fromText(text);
    if (isBad(json) || json === 'null') return json;
    return this.#oddityOf(field, json) ?? json;
  }

  /** The columns that are sent, in the order of an event. */
  get fields(): readonly Field[] {
    return this.#fields;
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
    // What is not finite is counted by the column that it is a value of.
    for (const { kind, key, before, after } of row.oddities ?? [])
      if (kind === 'last-of-key')
        this.#counts.add(this.#counts.of(kind, key), row.line, before, JSON.stringify(after));
    const edited = this.editedRows?.get(row.byteStart);
    for (const field of this.#fields) {
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
    const { converter } = field;
    const replaced = field.replacements?.find(place.byteStart, () => textOf(raw));
    if (replaced === undefined && typeof raw === 'string' && field.isLookedAt(raw))
      field.evidence.look(raw, place.line);
    const given = isCell ? converter.fromText(String(raw)) : converter.fromJson(raw);
    const rules = converter.applied.length === 0 ? NO_RULES : [...converter.applied];
    const odd = isBad(given) ? given : given === 'null' ? null : this.#oddityOf(field, given);
    if (replaced !== undefined) return this.#replace({ field, place, text: shown(raw) }, replaced, odd);
    if (odd === null) {
      if (isBad(given)) return fitting(given);
      // A repaired value is no evidence of how the column is read.
      if (rules.includes('null-word')) field.evidence.nulls.add(shown(raw).trim());
      return { ...fitting(given), counts: this.#countRules(field, place, raw, { json: given, rules }) };
    }
    const mended = this.#mend({ field, place, text: shown(raw), odd });
    const json = mended?.json ?? given;
    // A comma that was mended may leave a number out of the model's range.
    const stays = isBad(json) || json === 'null' ? null : this.#oddityOf(field, json);
    if (stays !== null) this.#count(field, stays);
    if (!isBad(json))
      this.#countRules(field, place, raw, { json, rules: mended === null ? rules : [mended.rule] });
    const isRepaired = mended !== null;
    return { json, isRepaired, isUnusual: stays !== null, isCounted: true, counts: NO_COUNTS };
  }

  /** What is sent in place of values of this row, by column. */
  replacedIn(row: SourceRow): Map<string, Replaced> {
    return new Map(
      this.#fields.flatMap((field) => {
        const replaced = field.replacements?.find(row.byteStart, () => textOf(rawOf(field, row)));
        return replaced === undefined ? [] : [[field.source, replaced] as const];
      }),
    );
  }

  #replace(found: Omit<Misfit, 'odd'>, { json, by }: Replaced, odd: Misfit['odd'] | null): Outcome {
    const isRepaired = !isBad(json);
    if (isRepaired) {
      const rules = [by === 'edit' ? ('edited' as const) : ('replaced' as const)];
      this.#countRules(found.field, found.place, found.text, { json, rules });
    }
    if (odd !== null) {
      const misfit = { ...found, odd };
      this.#group(misfit, this.#problemOf(misfit), isRepaired);
    }
    return { json, isRepaired, isUnusual: false, isCounted: true, counts: NO_COUNTS };
  }

  beginRow(): void {
    this.#counts.beginRow();
  }

  /** A value that comes to what the same bytes came to before. */
  countAgain(count: RuleCount): void {
    this.#counts.bump(count);
  }

  /** Columns and keys that are not sent: which of a row have a value. */
  get keys(): FileKeys {
    return this.#keys;
  }

  #countRules(
    field: Field,
    { line }: RowPlace,
    raw: unknown,
    { json, rules }: { json: string; rules: readonly ValueRule[] },
  ): readonly RuleCount[] {
    if (rules.length === 0) return NO_COUNTS;
    return rules.map((rule) => {
      let count = field.counts.get(rule);
      if (count === undefined) {
        count = this.#counts.of(rule, field.source);
        field.counts.set(rule, count);
      }
      this.#counts.add(count, line, shown(raw), json);
      return count;
    });
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
    const [first, ...others] = all;
    if (first === undefined) return null;
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
    return this.#oddities.has(target);
  }

  /** What is unusual about a value that could be sent: outside of the model's range, or not one of its categories. */
  #oddityOf({ facts, categories }: Pick<Field, 'facts' | 'categories'>, json: string): Odd | null {
    if (facts === null) return null;
    if (facts.min !== null || facts.max !== null) {
      const number = Number(json);
      const { min, max } = facts;
      if (number < (min ?? Number.NEGATIVE_INFINITY) || number > (max ?? Number.POSITIVE_INFINITY)) {
        const reason = `Outside the model’s range of ${min ?? '…'} to ${max ?? '…'}.`;
        return { reason, isOf: 'range', json };
      }
    }
    if (categories === null || categories.has(json)) return null;
    return { reason: 'Not one of the model’s categories.', isOf: 'categories', json };
  }

  #count({ target }: Field, { isOf, json }: Odd): void {
    const oddities = this.#oddities.get(target);
    if (oddities === undefined) return;
    if (isOf === 'range') oddities.outOfRange += 1;
    else {
      oddities.newValues += 1;
      if (oddities.newExamples.size < 3) oddities.newExamples.add(excerptOf(json));
    }
  }

  /** The JSON text that the plan puts in place of a value that does not fit; null where it puts none. */
  #mend(misfit: Misfit): { json: string; rule: ValueRule } | null {
    const { field, text } = misfit;
    const problem = this.#problemOf(misfit);
    const kind = field.repairs.get(problem);
    const mended = kind === undefined ? undefined : repairText(kind, text, field.column);
    const json = mended === null || mended === undefined ? null : field.converter.fromText(mended);
    const isMended = mended === null || (json !== null && !isBad(json));
    this.#group(misfit, problem, isMended);
    if (!isMended || kind === undefined) return null;
    return { json: json === null || isBad(json) ? 'null' : json, rule: RULE_OF_REPAIR[kind] };
  }

  #problemOf({ field, text, odd }: Misfit): ProblemKind {
    if ('isOf' in odd && odd.isOf === 'range') return 'out-of-range';
    return problemOf(text, field.column, (mended) => {
      const json = field.converter.fromText(mended);
      return !isBad(json) && (!('isOf' in odd) || field.categories?.has(json) === true);
    });
  }

  /** Counts the value among those of its kind. */
  #group({ field, place, text, odd }: Misfit, problem: ProblemKind, isRepaired: boolean): void {
    const { source, column, isTime } = field;
    const { row, line, byteStart: byteOffset } = place;
    const isNeeded = this.isId(field) || isTime;
    const found = { source, problem, text, row, line, byteOffset, isNeeded };
    this.#groups.add({ ...found, reason: odd.reason, isSent: 'isOf' in odd, isRepaired }, (kind) =>
      repairText(kind, text, column),
    );
  }

  /** Values that do not fit, by column and kind. */
  problems(): ProblemGroup[] {
    const monthFirst = new Set(
      this.#fields
        .filter(({ target }) => this.#oddities.get(target)?.times.has('us'))
        .map(({ source }) => source),
    );
    return this.#groups.list((source) => monthFirst.has(source));
  }

  /** What became of values that did not leave as they stand, and what is not sent. */
  ledger(given: ReadingPlan): ValueLedger {
    const settled = this.settled(given);
    return { changes: this.#counts.list(), leftOut: this.#keys.leftOut(), decisions: settled.decisions };
  }

  /** The columns of `given` with what the rows that were read decide for them. */
  settled(given: ReadingPlan): SettledColumns {
    return settleColumns({ given, fields: this.#fields, keys: this.#keys, model: this.#model });
  }

  /** Sentences on what a person should know although no row is bad for it. */
  notes(): string[] {
    const unused = this.#fields.flatMap(({ replacements }) => replacements?.notes() ?? []);
    const values = this.#fields.flatMap(
      ({ target, facts }) => this.#oddities.get(target)?.notes(target, facts) ?? [],
    );
    return [...columnNotes(this.#plan, this.#fields, this.#model), ...values, ...unused];
  }
}

const rawOf = ({ index, source }: Field, { record, cells }: SourceRow): unknown =>
  record === null ? (cells?.[index] ?? '') : record[source];

function badRow(place: RowPlace, column: string | null, value: string | null, reason: string): BadRow {
  const { row, line, byteStart: byteOffset } = place;
  const name = column === '' ? null : column;
  return { row, line, byteOffset, column: name, value: value === null ? null : excerptOf(value), reason };
}

/** As a replacement names a value; empty where there is none. */
const textOf = (value: unknown): string => (value === null || value === undefined ? '' : shown(value));

/** A value as the file has it, for messages; a key that a row lacks has no text. */
export function shown(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  return isRawNumber(value) ? value.digits : writeExact(value);
}

/** An event id as text, of its JSON. */
export function idText(json: string): string {
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}
