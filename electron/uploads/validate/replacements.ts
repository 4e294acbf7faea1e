/** Values that a person replaced: by their text in a column, and single cells by the place of their row. Pure. */
import { counted } from '../../shared/count-text.ts';
import type { UploadPlan } from '../../shared/upload-model.ts';
import { excerptOf } from '../readers/row-source.ts';
import { type Converted, isBad } from './values.ts';

/** What is sent in place of a value: its JSON, or why the replacement cannot be sent. */
export interface Replaced {
  json: Converted;
  by: 'edit' | 'replacement';
  /** As it would stand in a cell; null for no value. */
  text: string | null;
}

type Edited = Pick<UploadPlan, 'replacements' | 'cellEdits'>;
/** As a value of this column is converted, with what is unusual about it taken for a fault. */
type Convert = (text: string | null) => Converted;

const MAX_NAMED = 5;

/** The JSON of a replacement, or a fault that names it. */
function replacementOf(convert: Convert, text: string | null): Converted {
  const json = convert(text);
  return isBad(json)
    ? { reason: `The replacement “${excerptOf(text ?? 'null')}” cannot be sent. ${json.reason}` }
    : json;
}

/** The replacements of one column. */
export class ColumnReplacements {
  readonly #byValue = new Map<string, Replaced>();
  readonly #byPlace = new Map<number, Replaced>();
  readonly #usedValues = new Set<string>();
  readonly #usedPlaces = new Set<number>();
  readonly #plan: Edited;
  readonly #source: string;

  /** Null where the plan has none for this column: then its values cost nothing. */
  static of(plan: Edited, source: string, convert: Convert): ColumnReplacements | null {
    const found = new ColumnReplacements(plan, source, convert);
    return found.#byValue.size + found.#byPlace.size === 0 ? null : found;
  }

  private constructor(plan: Edited, source: string, convert: Convert) {
    this.#plan = plan;
    this.#source = source;
    for (const each of plan.replacements ?? [])
      if (each.source === source)
        this.#byValue.set(each.value, {
          ...{ json: replacementOf(convert, each.with), text: each.with, by: 'replacement' },
        });
    for (const each of plan.cellEdits?.cells ?? [])
      if (each.source === source)
        this.#byPlace.set(each.byteOffset, {
          ...{ json: replacementOf(convert, each.with), text: each.with, by: 'edit' },
        });
  }

  /** Why one of them cannot be sent, in words; null where all of them can. */
  get problem(): string | null {
    for (const { json } of [...this.#byValue.values(), ...this.#byPlace.values()])
      if (isBad(json)) return `${this.#source}: ${json.reason}`;
    return null;
  }

  /** Texts that are replaced wherever they stand. */
  get values(): IterableIterator<string> {
    return this.#byValue.keys();
  }

  /**
   * An edit of the cell comes before the replacement of its value. `text` is made only where it is asked for; empty: a
   * value that is not there is in no replacement.
   */
  find(byteStart: number, text: () => string): Replaced | undefined {
    const edit = this.#byPlace.get(byteStart);
    if (edit !== undefined) {
      this.#usedPlaces.add(byteStart);
      return edit;
    }
    if (this.#byValue.size === 0) return undefined;
    const value = text();
    const found = this.#byValue.get(value);
    if (found !== undefined) this.#usedValues.add(value);
    return found;
  }

  /** Sentences on those that no row had a use for. */
  notes(): string[] {
    const values = [...this.#byValue.keys()].filter((value) => !this.#usedValues.has(value));
    const edits = (this.#plan.cellEdits?.cells ?? []).filter(
      ({ source, byteOffset }) => source === this.#source && !this.#usedPlaces.has(byteOffset),
    );
    return [
      ...(values.length === 0
        ? []
        : [`${this.#source}: no row has ${quoted(values)}, so nothing was replaced there.`]),
      ...(edits.length === 0
        ? []
        : [
            `${this.#source}: ${counted(edits.length, 'edit')} not applied, as no row starts there (line ${edits
              .slice(0, MAX_NAMED)
              .map(({ line }) => line)
              .join(', ')}).`,
          ]),
    ];
  }
}

function quoted(values: readonly string[]): string {
  const named = values.slice(0, MAX_NAMED).map((value) => `“${excerptOf(value)}”`);
  const rest = values.length - named.length;
  return rest === 0 ? named.join(', ') : `${named.join(', ')} and ${counted(rest, 'other value')}`;
}

/** The rows that have an edited cell, by where they start, with the columns of these cells; null where the plan has none. */
export function editedRows({ cellEdits }: Edited): ReadonlyMap<number, ReadonlySet<string>> | null {
  if (cellEdits === undefined) return null;
  const rows = Map.groupBy(cellEdits.cells, ({ byteOffset }) => byteOffset);
  return new Map([...rows].map(([at, cells]) => [at, new Set(cells.map(({ source }) => source))]));
}
