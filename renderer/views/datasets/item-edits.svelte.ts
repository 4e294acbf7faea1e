/** What is changed of the items of a dataset and not sent yet: kept with the tab, through an end of the program too. */
import type { ItemEdits } from '../../../electron/shared/snapshot-model.ts';
import type { ItemContent } from '../../lib/item-fields.ts';
import type { JsonObject } from '../../lib/records.ts';
import { isObject } from '../../lib/records.ts';
import type { ActSteps } from '../../state/acts.svelte.ts';

export type ItemEdit =
  | { kind: 'edited'; itemId: string; item: ItemContent }
  | { kind: 'left out'; itemId: string }
  | { kind: 'new'; place: number; item: ItemContent };

export class EditedItems {
  /** By the id of the item. */
  replaced = $state.raw<Readonly<Record<string, ItemContent>>>({});
  removed = $state.raw<readonly string[]>([]);
  added = $state.raw<readonly ItemContent[]>([]);

  readonly #gone = $derived(new Set(this.removed));
  readonly count = $derived(Object.keys(this.replaced).length + this.removed.length + this.added.length);

  replace(itemId: string, item: ItemContent): void {
    this.removed = this.removed.filter((id) => id !== itemId);
    this.replaced = { ...this.replaced, [itemId]: item };
  }

  remove(itemIds: readonly string[]): void {
    const gone = new Set([...this.removed, ...itemIds]);
    this.removed = [...gone];
    this.replaced = Object.fromEntries(Object.entries(this.replaced).filter(([id]) => !gone.has(id)));
  }

  add(item: ItemContent): void {
    this.added = [...this.added, item];
  }

  /** Of those that are new, by their place; null takes it out again. */
  putAdded(place: number, item: ItemContent | null): void {
    this.added = this.added.flatMap((each, at) => (at !== place ? [each] : item === null ? [] : [item]));
  }

  /** Of one item: it is as it was. */
  restore(itemId: string): void {
    this.removed = this.removed.filter((id) => id !== itemId);
    this.replaced = Object.fromEntries(Object.entries(this.replaced).filter(([id]) => id !== itemId));
  }

  clear(): void {
    this.replaced = {};
    this.removed = [];
    this.added = [];
  }

  /** Does it, and says how it is taken back and done again. */
  change(work: () => void): ActSteps {
    const before = this.draft ?? {};
    work();
    const after = this.draft ?? {};
    return { undo: () => this.takeDraft(before), redo: () => this.takeDraft(after) };
  }

  /** Each change as a line of a list: edited ones, those left out, new ones. */
  readonly list = $derived<readonly ItemEdit[]>([
    ...Object.entries(this.replaced).map(([itemId, item]): ItemEdit => ({ kind: 'edited', itemId, item })),
    ...this.removed.map((itemId): ItemEdit => ({ kind: 'left out', itemId })),
    ...this.added.map((item, place): ItemEdit => ({ kind: 'new', place, item })),
  ]);

  /** `edited` or `left out`; null for an item that stays. */
  stateOf(itemId: string): string | null {
    if (this.#gone.has(itemId)) return 'left out';
    return Object.hasOwn(this.replaced, itemId) ? 'edited' : null;
  }

  get edits(): ItemEdits {
    const replaced = Object.entries(this.replaced).map(([itemId, item]) => ({ itemId, item }));
    // Made of what JSON says; checked where it arrives.
    return { replaced, removed: [...this.removed], added: [...this.added] } as ItemEdits;
  }

  get draft(): JsonObject | null {
    const { replaced, removed, added } = this;
    return this.count === 0 ? null : { replaced, removed, added };
  }

  takeDraft({ replaced, removed, added }: JsonObject): void {
    const items = isObject(replaced) ? Object.entries(replaced) : [];
    this.replaced = Object.fromEntries(
      items.flatMap(([id, item]): [string, ItemContent][] => (isObject(item) ? [[id, item]] : [])),
    );
    this.removed = Array.isArray(removed) ? removed.map(String) : [];
    this.added = Array.isArray(added) ? added.filter(isObject) : [];
  }
}
