/** Values that do not fit, by column and kind, with the first of them before and after each repair. */
import {
  MOST_CHECKED_ROWS,
  type ProblemGroup,
  type ProblemKind,
  type RepairKind,
  type RowStart,
} from '../../shared/upload-model.ts';
import { excerptOf } from '../readers/row-source.ts';
import { isSureDayFirst, REPAIRS_OF } from './repairs.ts';

const MOST_GROUPS = 60;
const MOST_EXAMPLES = 5;
/** Of an example; a message of all groups stays small. */
const EXAMPLE_CHARS = 80;
/** Of all groups together: some 100 KB of a message. */
const MOST_PLACES = 2_000;

interface Found extends RowStart {
  source: string;
  problem: ProblemKind;
  reason: string;
  /** Without a repair the row is sent as it is. */
  isSent: boolean;
  /** No value is no way out: events need one here. */
  isNeeded: boolean;
  text: string;
  isRepaired: boolean;
}

type Group = ProblemGroup & { isSure: boolean };

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
    if (group.places.length < MOST_CHECKED_ROWS && this.#places < MOST_PLACES) {
      group.places.push({ row, line, byteOffset });
      this.#places += 1;
    }
    if (group.examples.length >= MOST_EXAMPLES) return;
    group.examples.push({
      ...{ row, line, before: excerptOf(text).slice(0, EXAMPLE_CHARS) },
      after: Object.fromEntries(
        group.options.map((kind) => [kind, after(kind)?.slice(0, EXAMPLE_CHARS) ?? null]),
      ),
    });
  }

  #open(key: string, { source, problem, reason, isSent, isNeeded }: Found): Group | null {
    if (this.#groups.size >= MOST_GROUPS) return null;
    const options = [...new Set<RepairKind>([...REPAIRS_OF[problem], 'null'])].filter(
      (kind) => !isNeeded || (kind !== 'null' && kind !== 'null-word'),
    );
    const group: Group = {
      ...{ source, problem, reason, isSent, options, proposed: null, note: '', rows: 0, repaired: 0 },
      ...{ places: [], examples: [] },
      isSure: problem !== 'day-first',
    };
    this.#groups.set(key, group);
    return group;
  }

  /** Most rows first. `hasMonthFirst`: whether dates of a column were read as month/day/year. */
  list(hasMonthFirst: (source: string) => boolean): ProblemGroup[] {
    return [...this.#groups.values()]
      .map(({ isSure, ...group }) => ({ ...group, ...this.#proposal(group, isSure, hasMonthFirst) }))
      .toSorted((a, b) => b.rows - a.rows);
  }

  #proposal(
    { source, problem, options }: ProblemGroup,
    isSure: boolean,
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
