/**
 * Holds the values that a person replaced: all equal texts of a column, or single cells by the position of their row.
 * Pure.
 */
import { counted } from '../../shared/count-text.ts';
import type { UploadPlan } from '../../shared/upload-model.ts';
import { excerptOf } from '../readers/row-source.ts';
import { type Converted, isBad } from './values.ts';

/** The replacement of a value: its JSON, or the reason why it cannot be sent. */
export interface Replaced {
  json: Converted;
  by: 'edit' | 'replacement';
  /** The text of the replacement; null for no value. */
  text: string | null;
}

type Edited = Pick<UploadPlan, 'replacements' | 'cellEdits'>;
/** Converts like any value of this column, but returns a fault for unusual values. */
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

  /** Null if the plan replaces nothing in this column, so that its values are not looked up. */
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

  /** The reason why a replacement cannot be sent, as a sentence; null if all can be sent. */
  get problem(): string | null {
    for (const { json } of [...this.#byValue.values(), ...this.#byPlace.values()])
      if (isBad(json)) return `${this.#source}: ${json.reason}`;
    return null;
  }

  /** Texts that are replaced in every row. */
  get values(): IterableIterator<string> {
    return this.#byValue.keys();
  }

  /**
   * The replacement for a value. An edited cell takes precedence. `text` is called only when needed; it is empty for a
   * missing value, which no replacement matches.
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

  /** Sentences about replacements that matched no row. */
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

/** Start offsets of rows with edited cells, and the columns of these cells; null if the plan has none. */
export function editedRows({ cellEdits }: Edited): ReadonlyMap<number, ReadonlySet<string>> | null {
  if (cellEdits === undefined) return null;
  const rows = Map.groupBy(cellEdits.cells, ({ byteOffset }) => byteOffset);
  return new Map([...rows].map(([at, cells]) => [at, new Set(cells.map(({ source }) => source))]));
}
