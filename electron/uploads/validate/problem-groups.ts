/** Groups values that do not fit, by column and kind of problem, with examples before and after each repair. */
import {
  MAX_REPLACED_CHARS,
  type ProblemKind,
  REPAIRS_OF,
  type RepairKind,
} from '../../shared/repair-options.ts';
import { MAX_CHECKED_ROWS, type ProblemGroup, type RowStart } from '../../shared/upload-model.ts';
import { excerptOf } from '../readers/row-source.ts';
import { currencyOf } from './number-marks.ts';
import { isSureDayFirst, withoutQuotes } from './repairs.ts';

const MAX_GROUPS = 60;
/** Limits per group: number of distinct values counted, and number of values listed. */
const MAX_VALUES = 1_000;
const MAX_EXAMPLES = 50;
/** Number of examples that every group lists, even if they are long. */
const MIN_EXAMPLES = 5;
/** Maximum characters of the examples of all groups together, so that a message stays below 100 KB. */
const MAX_EXAMPLE_CHARS = 40_000;
/** Maximum length of a repaired value that is shown. */
const AFTER_CHARS = 80;
/** Maximum number of row positions of all groups together, which take about 100 KB of a message. */
const MAX_PLACES = 2_000;

interface Found extends RowStart {
  source: string;
  problem: ProblemKind;
  reason: string;
  /** True if the value is sent unchanged unless a repair is chosen. */
  isSent: boolean;
  /** True if events need a value in this column, so that "no value" is not a possible repair. */
  isNeeded: boolean;
  text: string;
  isRepaired: boolean;
}

type Example = ProblemGroup['examples'][number];
/** A group under construction. `values`: the values by their text, in file order. */
type Group = Omit<ProblemGroup, 'examples' | 'otherRows'> & {
  isSure: boolean;
  values: Map<string, Example>;
  /** The first few currencies that occur in the group. */
  currencies: Set<string>;
};
const MAX_CURRENCIES = 5;

export class ProblemGroups {
  readonly #groups = new Map<string, Group>();
  #places = 0;

  add(found: Found, after: (kind: RepairKind) => string | null | undefined): void {
    const key = `${found.problem} ${found.source}`;
    const group = this.#groups.get(key) ?? this.#open(key, found);
    if (group === null) return;
    group.rows += 1;
    if (found.isRepaired) group.repaired += 1;
    if (found.problem === 'day-first') group.isSure ||= isSureDayFirst(found.text);
    const { row, line, byteOffset, text } = found;
    const currency = HAS_CURRENCY.has(found.problem) ? currencyOf(withoutQuotes(text)) : null;
    if (currency !== null && group.currencies.size < MAX_CURRENCIES) group.currencies.add(currency);
    if (group.places.length < MAX_CHECKED_ROWS && this.#places < MAX_PLACES) {
      group.places.push({ row, line, byteOffset });
      this.#places += 1;
    }
    const known = group.values.get(text);
    if (known !== undefined) known.rows += 1;
    else if (group.values.size < MAX_VALUES) group.values.set(text, exampleOf(found, group.options, after));
  }

  #open(key: string, { source, problem, reason, isSent, isNeeded }: Found): Group | null {
    if (this.#groups.size >= MAX_GROUPS) return null;
    const options = [...new Set<RepairKind>([...REPAIRS_OF[problem], 'null'])].filter(
      (kind) => !isNeeded || (kind !== 'null' && kind !== 'null-word'),
    );
    const group: Group = {
      ...{ source, problem, reason, isSent, options, proposed: null, note: '', rows: 0, repaired: 0 },
      ...{ places: [], values: new Map(), currencies: new Set() },
      isSure: problem !== 'day-first',
    };
    this.#groups.set(key, group);
    return group;
  }

  /**
   * Groups sorted by number of rows, largest first. `hasMonthFirst`: whether dates of a column were read as
   * month/day/year.
   */
  list(hasMonthFirst: (source: string) => boolean): ProblemGroup[] {
    let room = MAX_EXAMPLE_CHARS;
    return [...this.#groups.values()]
      .toSorted((a, b) => b.rows - a.rows)
      .map(({ isSure, values, currencies, ...group }) => {
        const examples = [...values.values()]
          .toSorted((a, b) => b.rows - a.rows)
          .slice(0, MAX_EXAMPLES)
          .filter((example, at) => {
            room -= sizeOf(example);
            return room >= 0 || at < MIN_EXAMPLES;
          });
        const otherRows = group.rows - examples.reduce((sum, { rows }) => sum + rows, 0);
        return {
          ...group,
          ...this.#proposal(group, { isSure, currencies }, hasMonthFirst),
          examples,
          otherRows,
        };
      });
  }

  #proposal(
    { source, problem, options }: Pick<ProblemGroup, 'source' | 'problem' | 'options'>,
    { isSure, currencies }: Pick<Group, 'isSure' | 'currencies'>,
    hasMonthFirst: (source: string) => boolean,
  ): Pick<ProblemGroup, 'proposed' | 'note'> {
    const own = REPAIRS_OF[problem].find((kind) => options.includes(kind)) ?? null;
    if (problem === 'comma') {
      const [isDecimal, isThousands] = (['decimal-comma', 'thousands'] as const).map((other) =>
        this.#groups.has(`${other} ${source}`),
      );
      if (isDecimal !== isThousands) return { proposed: isDecimal ? 'decimal-comma' : 'thousands', note: '' };
      return { proposed: null, note: 'The comma could separate decimals or thousands. Choose one.' };
    }
    if (problem === 'percent')
      return { proposed: null, note: '5% could be sent as 5 or as 0.05. Choose one.' };
    if (currencies.size > 1) {
      const named = [...currencies].join(', ');
      return { proposed: null, note: `The amounts are in several currencies: ${named}. Check them first.` };
    }
    if (problem === 'day-first' && hasMonthFirst(source)) {
      return {
        proposed: null,
        note: 'Other dates of this column are read as month/day/year. Check them first.',
      };
    }
    if (problem === 'day-first' && !isSure) {
      return {
        proposed: null,
        note: 'Day and month could be the other way round. Choose if the day comes first.',
      };
    }
    return { proposed: own, note: '' };
  }
}

function exampleOf(
  { row, line, text }: Found,
  options: readonly RepairKind[],
  after: (kind: RepairKind) => string | null | undefined,
): Example {
  const isWhole = text.length <= MAX_REPLACED_CHARS;
  return {
    ...{ row, line, before: isWhole ? text : excerptOf(text), rows: 1, isWhole },
    after: Object.fromEntries(options.map((kind) => [kind, after(kind)?.slice(0, AFTER_CHARS) ?? null])),
  };
}

const HAS_CURRENCY: ReadonlySet<ProblemKind> = new Set(['currency', 'parentheses']);

const sizeOf = ({ before, after }: Example): number =>
  before.length + Object.values(after).reduce((sum, text) => sum + (text ?? '').length + 20, 60);
