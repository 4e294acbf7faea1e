/** A filter as it is edited: as rows and as text, both of one thing; and the filter that is at work. */
import {
  countRules,
  type DraftGroup,
  type DraftNode,
  depthOf,
  emptyGroup,
  emptyRule,
  findProblems,
  readDraft,
  writeDraft,
} from '../../lib/filter/draft.ts';
import { addNode, removeNode } from '../../lib/filter/edit.ts';
import type { FilterLanguage } from '../../lib/filter/language.ts';
import { checkFilterText, type FilterProblem, formatFilter } from '../../lib/filter/text.ts';

export class FilterModel {
  readonly language: FilterLanguage;
  /** Is the editor shown? */
  isOpen = $state(false);
  mode = $state<'rows' | 'text'>('rows');
  root = $state.raw<DraftGroup>({ kind: 'group', id: 0, condition: 'AND', rules: [], extra: {} });
  /** The filter at work, as it is sent; null for none. */
  applied = $state.raw<string | null>(null);
  /** Rule whose field is to take the focus once it is drawn. */
  focusId = $state.raw<number | null>(null);
  /** Text that a person changed; null while the text follows the rows. */
  #typed = $state.raw<string | null>(null);
  #lastId = 0;

  readonly text = $derived(this.#typed ?? this.#written);
  readonly #check = $derived.by(() => checkFilterText(this.text, this.language));
  /** What keeps the text from being a filter. */
  readonly textProblem: FilterProblem | null = $derived(this.#check.isOk ? null : this.#check.problem);
  /** The text was changed into something that is no filter: the rows show the last one that was. */
  readonly isTextBroken = $derived(this.#typed !== null && !this.#check.isOk);
  readonly problems = $derived.by(() => findProblems(this.root, this.language));
  readonly rules = $derived(countRules(this.root));
  readonly depth = $derived(depthOf(this.root));
  readonly isOverLimit = $derived.by(() => {
    const { maxRules, maxDepth } = this.language;
    return (maxRules !== null && this.rules > maxRules) || (maxDepth !== null && this.depth > maxDepth);
  });
  /** The filter as it would be sent, or undefined where it is not finished. */
  readonly wire: string | null | undefined = $derived.by(() => {
    if (this.isTextBroken || this.problems.size > 0 || this.isOverLimit) return undefined;
    return this.root.rules.length === 0 ? null : JSON.stringify(writeDraft(this.root, this.language));
  });
  readonly canApply = $derived(this.wire !== undefined && this.wire !== this.applied);

  constructor(language: FilterLanguage, applied: string | null = null) {
    this.language = language;
    if (applied !== null) this.take(applied);
  }

  get #written(): string {
    return this.root.rules.length === 0 ? '' : formatFilter(writeDraft(this.root, this.language));
  }

  newId = (): number => ++this.#lastId;

  /** A filter that came from elsewhere, e.g. from the tab's parameters. One that cannot be read is kept as text. */
  take(applied: string | null): void {
    if (applied === this.applied) return;
    this.applied = applied;
    if (applied === this.wire) return;
    this.reset();
  }

  /** Back to the filter at work. */
  reset(): void {
    this.#typed = null;
    const checked = checkFilterText(this.applied ?? '', this.language);
    this.root =
      checked.isOk && checked.tree !== null
        ? readDraft(checked.tree, this.language, this.newId)
        : emptyGroup(this.newId);
    if (checked.isOk) return;
    this.#typed = this.applied;
    this.mode = 'text';
  }

  /** A change by the rows; the text follows. Nothing happens while a broken text would be lost by it. */
  edit(change: (root: DraftGroup) => DraftGroup): void {
    if (this.isTextBroken) return;
    this.#typed = null;
    this.root = change(this.root);
  }

  /** A change by the text; the rows follow as soon as it is a filter. */
  type(text: string): void {
    this.#typed = text;
    const checked = checkFilterText(text, this.language);
    if (!checked.isOk) return;
    this.root =
      checked.tree === null ? emptyGroup(this.newId) : readDraft(checked.tree, this.language, this.newId);
  }

  /** Gives up a broken text for the rows, which show the last filter it was. */
  dropText(): void {
    this.#typed = null;
  }

  addRule(groupId = this.root.id, field = ''): void {
    const rule = emptyRule(this.newId, this.language.operators[0] ?? 'equal', field);
    this.edit((root) => addNode(root, groupId, rule));
    this.focusId = rule.id;
  }

  addGroup(groupId = this.root.id): void {
    const rule = emptyRule(this.newId, this.language.operators[0] ?? 'equal');
    const group = { ...emptyGroup(this.newId), condition: 'OR' as const, rules: [rule] };
    this.edit((root) => addNode(root, groupId, group));
    this.focusId = rule.id;
  }

  open(): void {
    this.isOpen = true;
    if (this.rules === 0 && !this.isTextBroken) this.addRule();
  }

  /** Closes the editor; a rule in which nothing was typed goes with it. */
  close(): void {
    this.isOpen = false;
    for (const node of this.root.rules) {
      if (isUntouched(node)) this.edit((root) => removeNode(root, node.id));
    }
  }

  clear(): void {
    this.#typed = null;
    this.root = emptyGroup(this.newId);
  }
}

function isUntouched(node: DraftNode): boolean {
  if (node.kind === 'group') return node.rules.every(isUntouched);
  return node.field === '' && node.values.every((value) => value === null);
}
