/**
 * Converts the values of the columns of a file by a plan, for events and items: replaces or repairs them, counts the
 * rules that changed them, and groups values that do not fit. Pure.
 */
import { isRawNumber } from '../../shared/exact-json.ts';
import { writeLenient } from '../../shared/lenient-json.ts';
import type { ProblemKind, RepairKind } from '../../shared/repair-options.ts';
import type { ModelColumnFacts } from '../../shared/upload-columns.ts';
import type { ColumnPlan, ProblemGroup } from '../../shared/upload-model.ts';
import { LedgerCounts, type RuleCount, type ValueRule } from '../../shared/value-ledger.ts';
import { excerptOf, ownField, type RowPlace, type SourceRow } from '../readers/row-source.ts';
import { ColumnEvidence, isNumeric } from './column-evidence.ts';
import { coreOf } from './number-marks.ts';
import { Oddities } from './oddities.ts';
import { ProblemGroups } from './problem-groups.ts';
import type { ReadingPlan } from './reading-plan.ts';
import { RepairUse } from './repair-use.ts';
import { problemOf, type RepairColumn, repairOf, repairText, withoutQuotes } from './repairs.ts';
import { ColumnReplacements, type Replaced } from './replacements.ts';
import { textOfFormula } from './text-formula.ts';
import { formatCheck } from './timestamps.ts';
import { type Converted, type Converter, createConverter, digitsOf, isBad } from './values.ts';

/** The parts of the plan of an upload or of items that determine its values. */
type ValuePlan = Pick<ReadingPlan, 'dialect' | 'repairs' | 'replacements' | 'cellEdits' | 'nowMs'>;

/** A column that is sent. */
export interface Field {
  source: string;
  type: ColumnPlan['type'];
  /** Index among the cells; -1 in JSON files. */
  index: number;
  /** JSON text of the target name with a colon. */
  key: string;
  target: string;
  converter: Converter;
  facts: ModelColumnFacts | null;
  /** JSON texts of the model's categories; null if it names none. */
  categories: ReadonlySet<string> | null;
  isTime: boolean;
  /** The plan's repairs for values that do not fit, by kind of problem. */
  repairs: ReadonlyMap<ProblemKind, RepairKind>;
  /** Replacements of values and edited cells; null if there are none. */
  replacements: ColumnReplacements | null;
  column: RepairColumn;
  plan: ColumnPlan;
  evidence: ColumnEvidence;
  /** True for texts that may show how the column is written: numbers, and times that are not in the model's format. */
  isLookedAt: (text: string) => boolean;
  counts: Map<ValueRule, RuleCount>;
  oddities: Oddities;
}

/** A column of the plan, with further facts needed to convert its values. */
export interface FieldOptions {
  column: ColumnPlan;
  target: string;
  /** Index among the cells; -1 in JSON files. */
  index: number;
  facts: ModelColumnFacts | null;
  /** Not null if the column holds the row's time. `format`: its format; null if unknown. */
  time: { format: string | null } | null;
  /** Type by which replacement texts are read; default: the type of the column. */
  replacedAs?: ColumnPlan['type'];
}

/** A value that can be sent but is unusual. */
interface Odd {
  reason: string;
  isOf: 'range' | 'categories';
  json: string;
}

/** The result for one value. */
export interface Outcome {
  json: Converted;
  isRepaired: boolean;
  /** True if the value is sent unchanged although the model does not name it. */
  isUnusual: boolean;
  /** True if the value was counted or repaired, so that equal values must be counted too. */
  isCounted: boolean;
  /** The rules that changed the value. */
  counts: readonly RuleCount[];
}
const NO_COUNTS: readonly RuleCount[] = [];
const NO_RULES: readonly ValueRule[] = [];

/** The outcome of a value that fits unchanged. */
function fitting(json: Converted): Outcome {
  return { json, isRepaired: false, isUnusual: false, isCounted: false, counts: NO_COUNTS };
}

/** A value that does not fit, with its text and its place. */
interface Misfit {
  field: Field;
  place: RowPlace;
  text: string;
  odd: Odd | { reason: string };
}

export class FieldValues {
  readonly #plan: ValuePlan;
  readonly #groups = new ProblemGroups();
  readonly #counts = new LedgerCounts();
  readonly #use = new RepairUse();
  readonly #fields: Field[] = [];
  readonly #isNeeded: (field: Field) => boolean;

  /** `isNeeded`: true for columns that must have a value in every row. */
  constructor(plan: ValuePlan, isNeeded: (field: Field) => boolean) {
    this.#plan = plan;
    this.#isNeeded = isNeeded;
  }

  /** All fields added so far. */
  get fields(): readonly Field[] {
    return this.#fields;
  }

  /** The reason why a replacement or a cell edit cannot be sent, as a sentence; null if all can be sent. */
  get replacementProblem(): string | null {
    return (
      this.#fields.map(({ replacements }) => replacements?.problem ?? null).find((found) => found !== null) ??
      null
    );
  }

  /** Rules that changed values, with counts per column. */
  get counts(): LedgerCounts {
    return this.#counts;
  }

  add(options: FieldOptions): Field {
    const field = this.fieldOf(options);
    this.#fields.push(field);
    return field;
  }

  /** A column whose values are not in the rows, e.g. a constant. */
  fieldOf(options: FieldOptions): Field {
    const { column, target, index, facts, time, replacedAs = column.type } = options;
    const { source, type } = column;
    const oddities = new Oddities();
    const named = facts?.categories ?? null;
    const categories = named === null ? null : new Set(named.map((category) => JSON.stringify(category)));
    const evidence = new ColumnEvidence(type, this.#plan.nowMs);
    const timeFormat = time?.format ?? null;
    const isOwnFormat = formatCheck(timeFormat);
    const converterAs = (as: ColumnPlan['type']) =>
      createConverter({
        type: as,
        reading: column.reading,
        nullWords: this.#plan.dialect.nullWords,
        categories: as === 'category' ? (facts?.categories ?? null) : null,
        dimensions: facts?.dimensions ?? null,
        timeFormat,
        isEventTime: time !== null,
        onTime: ({ form }) => oddities.times.add(form),
      });
    const converter = converterAs(type);
    const repairs = new Map(
      (this.#plan.repairs ?? []).flatMap((each) =>
        each.source === source ? [[each.problem, each.kind] as const] : [],
      ),
    );
    const key = `${JSON.stringify(target)}:`;
    const own = { type, categories: facts?.categories ?? null, decimal: column.reading?.decimal };
    const place = { source, type, index, key, target };
    const isLookedAt = isNumeric(type)
      ? () => true
      : (text: string) => type === 'timestamp' && isOwnFormat?.(text) !== true;
    const known = { plan: column, evidence, isLookedAt, counts: new Map<ValueRule, RuleCount>(), oddities };
    const isTime = time !== null;
    const fields = { ...place, ...known, converter, facts, categories, isTime, repairs, column: own };
    const strictly = { ...fields, converter: replacedAs === type ? converter : converterAs(replacedAs) };
    const replacements = ColumnReplacements.of(this.#plan, source, (text) => this.#strictly(strictly, text));
    return { ...fields, replacements };
  }

  /** The JSON of a text, or its fault. Unusual values count as faults. */
  #strictly(field: Pick<Field, 'converter' | 'facts' | 'categories'>, text: string | null): Converted {
    const json = text === null ? 'null' : field.converter.fromText(text);
    if (isBad(json) || json === 'null') return json;
    return this.#oddityOf(field, json) ?? json;
  }

  /**
   * Converts one value. Replaces or repairs it if the plan says so. `isCell`: the value is text of a delimited file.
   */
  convert(field: Field, place: RowPlace, raw: unknown, isCell: boolean): Outcome {
    const text = isCell ? textOfFormula(String(raw)) : null;
    if (text === null || field.replacements?.find(place.byteStart, () => textOf(raw)) !== undefined)
      return this.#convert(field, place, raw, isCell);
    const found = this.#convert(field, place, text, isCell);
    if (isBad(found.json)) return found;
    const counts = this.#countRules(field, place, raw, { json: found.json, rules: ['text-formula'] });
    return { ...found, counts: [...found.counts, ...counts] };
  }

  #convert(field: Field, place: RowPlace, raw: unknown, isCell: boolean): Outcome {
    const { converter } = field;
    const replaced = field.replacements?.find(place.byteStart, () => textOf(raw));
    const looked = typeof raw === 'string' && field.isLookedAt(raw) ? raw : null;
    const given = isCell ? converter.fromText(String(raw)) : converter.fromJson(raw);
    const rules = converter.applied.length === 0 ? NO_RULES : [...converter.applied];
    const odd = isBad(given) ? given : given === 'null' ? null : this.#oddityOf(field, given);
    if (replaced !== undefined) return this.#replace({ field, place, text: shown(raw) }, replaced, odd);
    if (odd === null) {
      if (looked !== null) field.evidence.look(looked, place.line);
      if (isBad(given)) return fitting(given);
      // A repaired value says nothing about how the column is written.
      if (rules.includes('null-word')) field.evidence.nulls.add(shown(raw).trim());
      return { ...fitting(given), counts: this.#countRules(field, place, raw, { json: given, rules }) };
    }
    const mended = this.#mend({ field, place, text: shown(raw), odd });
    if (looked !== null) field.evidence.look(looked, place.line, mended !== null);
    const json = mended?.json ?? given;
    // Repairing the comma may put the number outside the model's range.
    const stays = isBad(json) || json === 'null' ? null : this.#oddityOf(field, json);
    if (stays !== null) this.#count(field, stays);
    if (!isBad(json))
      this.#countRules(field, place, raw, { json, rules: mended === null ? rules : mended.rules });
    const isRepaired = mended !== null;
    return { json, isRepaired, isUnusual: stays !== null, isCounted: true, counts: NO_COUNTS };
  }

  /** The replacements of values of this row, by column. */
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

  /** Counts repeated keys and typed values of a row; NaN and infinity are counted when their column is converted. */
  countOddities({ line, oddities = [] }: SourceRow): void {
    for (const { kind, key, column, before, after } of oddities) {
      if (kind === 'not-finite' || !this.#fields.some(({ source }) => source === column)) continue;
      this.#counts.add(this.#counts.of(kind, key), line, before, JSON.stringify(after));
    }
  }

  /** Counts another value with the same bytes and the same result. */
  countAgain(count: RuleCount): void {
    this.#counts.bump(count);
  }

  #countRules(
    field: Field,
    { line }: RowPlace,
    raw: unknown,
    { json, rules }: { json: string; rules: readonly ValueRule[] },
  ): readonly RuleCount[] {
    const [only] = rules;
    if (only === undefined) return NO_COUNTS;
    const known = rules.length === 1 ? field.counts.get(only) : undefined;
    if (known?.hasExamples === true) {
      this.#counts.bump(known);
      return known.alone;
    }
    return rules.map((rule, at) => {
      let count = field.counts.get(rule);
      if (count === undefined) {
        count = this.#counts.of(rule, field.source);
        field.counts.set(rule, count);
      }
      // If a rule changes a value several times, the value is used as an example only once.
      if (rules.indexOf(rule) < at) this.#counts.bump(count);
      else this.#counts.add(count, line, shown(raw), json);
      return count;
    });
  }

  /** The reason why a value that can be sent is unusual: outside the model's range, or not one of its categories. */
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

  #count({ oddities }: Field, { isOf, json }: Odd): void {
    if (isOf === 'range') oddities.outOfRange += 1;
    else {
      oddities.newValues += 1;
      if (oddities.newExamples.size < 3) oddities.newExamples.add(excerptOf(json));
    }
  }

  /** The JSON text that the plan sends instead of a value that does not fit; null if there is none. */
  #mend(misfit: Misfit): { json: string; rules: readonly ValueRule[] } | null {
    const { field, text, place } = misfit;
    const { converter, column, evidence } = field;
    const problem = this.#problemOf(misfit);
    const kind = field.repairs.get(problem);
    const mended = kind === undefined ? undefined : repairOf(kind, text, column);
    // The separators of the number show how the column is written, whether or not the value fits.
    const core = kind === undefined ? null : coreOf(kind, withoutQuotes(text));
    if (core !== null) evidence.look(core, place.line);
    const json =
      mended === undefined || mended.text === null
        ? 'null'
        : mended.isNumber
          ? converter.fromNumber(mended.text)
          : converter.fromText(mended.text);
    const isMended = mended !== undefined && !isBad(json);
    this.#group(misfit, problem, isMended);
    if (!isMended) return null;
    if (kind !== undefined) this.#use.add(kind, field.source);
    return { json, rules: mended.isNumber ? [...mended.rules, ...converter.applied] : mended.rules };
  }

  #problemOf({ field, text, odd }: Misfit): ProblemKind {
    if ('isOf' in odd && odd.isOf === 'range') return 'out-of-range';
    return problemOf(text, field.column, (mended) => {
      const json = field.converter.fromText(mended);
      return !isBad(json) && (!('isOf' in odd) || field.categories?.has(json) === true);
    });
  }

  /** Counts the value in the group for its kind of problem. */
  #group({ field, place, text, odd }: Misfit, problem: ProblemKind, isRepaired: boolean): void {
    const { source, column } = field;
    const { row, line, byteStart: byteOffset } = place;
    const isNeeded = this.#isNeeded(field);
    const found = { source, problem, text, row, line, byteOffset, isNeeded };
    this.#groups.add({ ...found, reason: odd.reason, isSent: 'isOf' in odd, isRepaired }, (kind) =>
      repairText(kind, text, column),
    );
  }

  /** Sentences about replacements and repairs that changed no value. */
  notes(): string[] {
    const sent = new Set(this.#fields.map(({ source }) => source));
    return [
      ...this.#fields.flatMap(({ replacements }) => replacements?.notes() ?? []),
      ...this.#use.notes(this.#plan, sent, this.counts.list()),
    ];
  }

  /** Values that do not fit, by column and kind of problem. */
  problems(): ProblemGroup[] {
    const monthFirst = new Set(
      this.#fields.filter(({ oddities }) => oddities.times.has('us')).map(({ source }) => source),
    );
    return this.#groups.list((source) => monthFirst.has(source));
  }
}

/** The value of a row in this column. If a JSON number becomes a text, it keeps its digits as written. */
export function rawOf({ index, source, type }: Field, { record, cells, asWritten }: SourceRow): unknown {
  if (record === null) return cells?.[index] ?? '';
  const value = ownField(record, source);
  if (type !== 'str' || typeof value !== 'number') return value;
  const written = asWritten?.()?.[source];
  return isRawNumber(written) ? written : value;
}

/** The text that a replacement must name to match this value; empty if there is none. */
const textOf = (value: unknown): string => (value === null || value === undefined ? '' : shown(value));

/** The value as text, for messages; empty for a missing key. */
export function shown(value: unknown): string {
  if (value === undefined) return '';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return digitsOf(value);
  return isRawNumber(value) ? value.digits : writeLenient(value);
}
