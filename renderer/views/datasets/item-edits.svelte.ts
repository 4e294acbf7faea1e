/** Pending edits to the items of a dataset. They are stored with the tab, so they survive a restart. */
import { BUCKETS, type Bucket } from '../../../electron/shared/dataset-model.ts';
import { writeExact } from '../../../electron/shared/exact-json.ts';
import type { ItemEdits } from '../../../electron/shared/snapshot-model.ts';
import { formatNumber } from '../../lib/format.ts';
import type { CellChange, Column, Row } from '../../lib/grid/columns.ts';
import { type FieldChange, fieldChanges, type ItemContent, shortValue } from '../../lib/item-fields.ts';
import type { JsonObject } from '../../lib/records.ts';
import { isObject, textField } from '../../lib/records.ts';
import type { ActSteps } from '../../state/undo-history.svelte.ts';

export type ItemEdit =
  | { kind: 'edited'; itemId: string; item: ItemContent; changes: readonly FieldChange[] }
  | { kind: 'left out'; itemId: string; item: ItemContent | null }
  | { kind: 'new'; place: number; item: ItemContent };

interface FieldValue {
  bucket: Bucket;
  key: string | null;
  value: unknown;
}

interface PendingEdits {
  readonly replaced: Readonly<Record<string, ItemContent>>;
  readonly removed: readonly string[];
  readonly added: readonly ItemContent[];
  readonly originals: Readonly<Record<string, ItemContent>>;
}

/** Summary of the edits: `1 edited, 2 new`. */
export function editsText({ replaced, removed, added }: ItemEdits): string {
  const counts = [
    [replaced.length, 'edited'],
    [removed.length, 'left out'],
    [added.length, 'new'],
  ] as const;
  return counts
    .flatMap(([count, word]) => (count === 0 ? [] : [`${formatNumber(count)} ${word}`]))
    .join(', ');
}

export class EditedItems {
  /** Edited contents by item id. */
  replaced = $state.raw<Readonly<Record<string, ItemContent>>>({});
  removed = $state.raw<readonly string[]>([]);
  added = $state.raw<readonly ItemContent[]>([]);
  /** Original items by id, as far as they were loaded, for showing the changes. */
  originals = $state.raw<Readonly<Record<string, ItemContent>>>({});

  /** The cell that is being edited, with its typed value, which can be invalid. */
  open = $state.raw<JsonObject | null>(null);

  readonly #gone = $derived(new Set(this.removed));
  readonly count = $derived(Object.keys(this.replaced).length + this.removed.length + this.added.length);

  get inputText(): string {
    return this.count === 0 ? 'a value that is being typed' : `changed items (${editsText(this.edits)})`;
  }

  /**
   * Edits an item. `original`: the item in the dataset; null if it is not loaded. Content that equals the original is
   * not an edit.
   */
  replace(itemId: string, item: ItemContent, original: Row | null): void {
    if (original !== null) this.#remember(itemId, original);
    const before = this.originals[itemId];
    if (before !== undefined && fieldChanges(before, item).length === 0) {
      this.restore(itemId);
      return;
    }
    this.removed = this.removed.filter((id) => id !== itemId);
    this.replaced = { ...this.replaced, [itemId]: item };
  }

  /** Sets fields of loaded items in one step. A null key replaces the whole bucket. */
  setFields(changes: readonly { row: Row; fields: readonly FieldValue[] }[]): void {
    const replaced = { ...this.replaced };
    const originals = { ...this.originals };
    const restored = new Set<string>();
    for (const { row, fields } of changes) {
      const id = textField(row, 'id');
      // If an item has no pending edit, its present content is the original.
      const known = Object.hasOwn(replaced, id) || this.#gone.has(id) ? originals[id] : undefined;
      const original = known ?? contentOf(row);
      const item: Record<string, JsonObject> = { ...contentOf(this.rowOf(row)) };
      for (const { bucket, key, value } of fields) {
        if (key !== null) item[bucket] = { ...item[bucket], [key]: value };
        else if (isObject(value)) item[bucket] = value;
      }
      restored.add(id);
      if (fieldChanges(original, item).length === 0) {
        delete replaced[id];
        delete originals[id];
      } else {
        replaced[id] = item;
        originals[id] = original;
      }
    }
    this.originals = originals;
    this.removed = this.removed.filter((id) => !restored.has(id));
    this.replaced = replaced;
  }

  #remember(itemId: string, row: Row): void {
    this.originals = { ...this.originals, [itemId]: contentOf(row) };
  }

  /** The row of an item with its edited content. */
  rowOf(row: Row): Row {
    const item = this.replaced[textField(row, 'id')];
    if (item === undefined) return row;
    const empty = Object.fromEntries(
      BUCKETS.filter((bucket) => row[bucket] !== undefined).map((bucket) => [bucket, {}]),
    );
    return { ...row, ...empty, ...item };
  }

  /** A column that shows both the edited and the original content of items. */
  columnOf(column: Column): Column {
    const { get } = column;
    const change = (row: Row): CellChange | null => {
      const id = textField(row, 'id');
      if (this.#gone.has(id)) return { kind: 'out' };
      if (!Object.hasOwn(this.replaced, id)) return null;
      const [before, after] = [get(row), get(this.rowOf(row))];
      return writeExact(before ?? null) === writeExact(after ?? null)
        ? null
        : { kind: 'changed', was: shortValue(before) };
    };
    return { ...column, get: (row) => get(this.rowOf(row)), change };
  }

  /** Leaves items out. `rows`: the rows of those that are loaded. */
  remove(itemIds: readonly string[], rows: readonly Row[] = []): void {
    for (const row of rows) this.#remember(textField(row, 'id'), row);
    const gone = new Set([...this.removed, ...itemIds]);
    this.removed = [...gone];
    this.replaced = Object.fromEntries(Object.entries(this.replaced).filter(([id]) => !gone.has(id)));
  }

  add(item: ItemContent): void {
    this.added = [...this.added, item];
  }

  /** Changes the new item at this index; null removes it. */
  putAdded(place: number, item: ItemContent | null): void {
    this.added = this.added.flatMap((each, at) => (at !== place ? [each] : item === null ? [] : [item]));
  }

  /** Undoes the edits of one item. */
  restore(itemId: string): void {
    this.removed = this.removed.filter((id) => id !== itemId);
    this.replaced = Object.fromEntries(Object.entries(this.replaced).filter(([id]) => id !== itemId));
  }

  clear(): void {
    this.replaced = {};
    this.removed = [];
    this.added = [];
    this.originals = {};
    this.open = null;
  }

  /** Performs an edit. Returns the steps that undo and repeat it, and leave items unchanged that were edited since. */
  change(work: () => void): ActSteps {
    const before = this.#pending;
    work();
    const after = this.#pending;
    return { undo: () => this.#replay(after, before), redo: () => this.#replay(before, after) };
  }

  /** Turns the changes between two states back or repeats them, as far as the items are still as in `from`. */
  #replay(from: PendingEdits, to: PendingEdits): void {
    const now = this.#pending;
    const [nowById, fromById, toById] = [statesOf(now), statesOf(from), statesOf(to)];
    const [replaced, originals, removed] = [{ ...now.replaced }, { ...now.originals }, new Set(now.removed)];
    for (const id of new Set([...fromById.keys(), ...toById.keys()])) {
      const state = toById.get(id);
      if (fromById.get(id) === state || nowById.get(id) !== fromById.get(id)) continue;
      put(replaced, id, state === LEFT_OUT ? undefined : state);
      put(originals, id, to.originals[id]);
      if (state === LEFT_OUT) removed.add(id);
      else removed.delete(id);
    }
    this.replaced = replaced;
    this.originals = originals;
    this.removed = [...removed];
    this.added = replayList(now.added, from.added, to.added);
  }

  /** All edits in the order of the list: edited, left out and new items. */
  readonly list = $derived<readonly ItemEdit[]>([
    ...Object.entries(this.replaced).map(([itemId, item]): ItemEdit => {
      const before = this.originals[itemId];
      return {
        kind: 'edited',
        itemId,
        item,
        changes: before === undefined ? [] : fieldChanges(before, item),
      };
    }),
    ...this.removed.map((itemId): ItemEdit => {
      return { kind: 'left out', itemId, item: this.originals[itemId] ?? null };
    }),
    ...this.added.map((item, place): ItemEdit => ({ kind: 'new', place, item })),
  ]);

  /** `edited` or `left out`; null for an unchanged item. */
  stateOf(itemId: string): string | null {
    if (this.#gone.has(itemId)) return 'left out';
    return Object.hasOwn(this.replaced, itemId) ? 'edited' : null;
  }

  get edits(): ItemEdits {
    const replaced = Object.entries(this.replaced).map(([itemId, item]) => ({ itemId, item }));
    // The cast is safe: the content is JSON, and the receiver validates it.
    return { replaced, removed: [...this.removed], added: [...this.added] } as ItemEdits;
  }

  get #pending(): PendingEdits {
    const { replaced, removed, added, originals } = this;
    return { replaced, removed, added, originals };
  }

  get draft(): JsonObject | null {
    const { open } = this;
    if (open !== null) return { ...this.#pending, open };
    return this.count === 0 ? null : { ...this.#pending };
  }

  takeDraft(draft: JsonObject): void {
    this.#take(draft);
    const { open } = draft;
    this.open = isObject(open) ? open : null;
  }

  #take({ replaced, removed, added, originals }: JsonObject): void {
    this.replaced = contentsIn(replaced);
    this.originals = contentsIn(originals);
    this.removed = Array.isArray(removed) ? removed.map(String) : [];
    this.added = Array.isArray(added) ? added.filter(isObject) : [];
  }
}

const LEFT_OUT = 'left out';

/** The pending edit of each item that exists: its new content, or that it is left out. */
const statesOf = ({ replaced, removed }: PendingEdits) =>
  new Map<string, ItemContent | typeof LEFT_OUT>([
    ...Object.entries(replaced),
    ...removed.map((id) => [id, LEFT_OUT] as const),
  ]);

function put(into: Record<string, ItemContent>, id: string, item: ItemContent | undefined): void {
  if (item === undefined) delete into[id];
  else into[id] = item;
}

/** Replaces the part in which two lists differ, as far as its items are still in the list. */
function replayList(
  now: readonly ItemContent[],
  from: readonly ItemContent[],
  to: readonly ItemContent[],
): readonly ItemContent[] {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start += 1;
  let end = 0;
  while (end < shorter - start && from.at(-1 - end) === to.at(-1 - end)) end += 1;
  const old = new Set(from.slice(start, from.length - end));
  const fresh = to.slice(start, to.length - end);
  const found = now.findIndex((item) => old.has(item));
  // An item that was edited since is another object, and stays.
  if (old.size > 0 && found < 0) return now;
  const place = found < 0 ? Math.min(start, now.length) : found;
  const keeps = (item: ItemContent) => !old.has(item);
  return [...now.slice(0, place).filter(keeps), ...fresh, ...now.slice(place).filter(keeps)];
}

function contentOf(row: Row): ItemContent {
  return Object.fromEntries(
    BUCKETS.flatMap((bucket) => {
      const fields = row[bucket];
      return isObject(fields) ? [[bucket, fields] as const] : [];
    }),
  );
}

function contentsIn(value: unknown): Record<string, ItemContent> {
  const items = isObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    items.flatMap(([id, item]): [string, ItemContent][] => (isObject(item) ? [[id, item]] : [])),
  );
}
