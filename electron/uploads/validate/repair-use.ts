/** Finds chosen repairs and replacements that changed no value, and describes them in sentences. Pure. */
import { counted } from '../../shared/count-text.ts';
import type { RepairKind } from '../../shared/repair-options.ts';
import type { UploadPlan } from '../../shared/upload-model.ts';
import type { ValueLedger } from '../../shared/value-ledger.ts';
import { excerptOf } from '../readers/row-source.ts';

const MAX_NAMED = 5;

export class RepairUse {
  /** Columns in which a value was repaired, by kind of repair. */
  readonly #used = new Map<RepairKind, Set<string>>();

  /** Records that a value of this column was repaired. */
  add(kind: RepairKind, source: string): void {
    const columns = this.#used.get(kind);
    if (columns === undefined) this.#used.set(kind, new Set([source]));
    else columns.add(source);
  }

  /**
   * `sent`: the columns that are sent. `changes`: the changes of their values. They are needed because a column of
   * numbers may already change values in the same way as a repair. A repair chosen for every column is mentioned only
   * if it repaired no value in any of them.
   */
  notes(
    { repairs = [], replacements = [] }: Pick<UploadPlan, 'repairs' | 'replacements'>,
    sent: ReadonlySet<string>,
    changes: readonly Pick<ValueLedger['changes'][number], 'rule' | 'source'>[],
  ): string[] {
    const chosen = Map.groupBy(repairs, ({ kind }) => kind);
    const idle = [...chosen].flatMap(([kind, of]) => {
      const read = changes.flatMap(({ rule, source }) => (rule === kind ? [source] : []));
      return notesOf(kind, unique(of), sent, new Set([...(this.#used.get(kind) ?? []), ...read]));
    });
    const unsent = unique(replacements).filter((source) => !sent.has(source));
    return [
      ...idle,
      ...(unsent.length === 0 ? [] : [`${named(unsent)}: left out, so nothing was replaced there.`]),
    ];
  }
}

function notesOf(
  kind: RepairKind,
  sources: readonly string[],
  sent: ReadonlySet<string>,
  used: ReadonlySet<string>,
): string[] {
  const idle = sources.filter((source) => !used.has(source));
  const isOfAll = sources.length > 1 && [...sent].every((source) => sources.includes(source));
  if (isOfAll) return used.size > 0 ? [] : [`The repair “${kind}” changed no value of any column.`];
  const [left, own] = [idle.filter((source) => !sent.has(source)), idle.filter((source) => sent.has(source))];
  const idleText = `the repair “${kind}” changed no value there.`;
  return [
    ...(own.length === 0 ? [] : [`${named(own)}: ${idleText}`]),
    ...(left.length === 0 ? [] : [`${named(left)}: left out, so the repair “${kind}” changes nothing.`]),
  ];
}

const unique = (of: readonly { source: string }[]): string[] => [...new Set(of.map(({ source }) => source))];

function named(sources: readonly string[]): string {
  const shown = sources.slice(0, MAX_NAMED).map((source) => excerptOf(source));
  const rest = sources.length - shown.length;
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${counted(rest, 'other column')}`;
}
