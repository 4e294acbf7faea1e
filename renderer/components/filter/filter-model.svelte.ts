/** A filter being edited, as rows and as text that are kept in sync, and the active filter. */
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
  /** Whether the editor is shown. */
  isOpen = $state(false);
  mode = $state<'rows' | 'text'>('rows');
  root = $state.raw<DraftGroup>({ kind: 'group', id: 0, condition: 'AND', rules: [], extra: {} });
  /** The active filter as sent; null for none. */
  applied = $state.raw<string | null>(null);
  /** Id of the rule whose field gets the focus when it is drawn. */
  focusId = $state.raw<number | null>(null);
  /** Text that the user changed; null while the text follows the rows. */
  #typed = $state.raw<string | null>(null);
  #lastId = 0;

  readonly text = $derived(this.#typed ?? this.#written);
  readonly #check = $derived.by(() => checkFilterText(this.text, this.language));
  /** The reason why the text is not a valid filter; null if it is. */
  readonly textProblem: FilterProblem | null = $derived(this.#check.isOk ? null : this.#check.problem);
  /** Whether the text is invalid, so that the rows show the last valid filter. */
  readonly isTextBroken = $derived(this.#typed !== null && !this.#check.isOk);
  readonly problems = $derived.by(() => findProblems(this.root, this.language));
  readonly rules = $derived(countRules(this.root));
  readonly depth = $derived(depthOf(this.root));
  readonly isOverLimit = $derived.by(() => {
    const { maxRules, maxDepth } = this.language;
    return (maxRules !== null && this.rules > maxRules) || (maxDepth !== null && this.depth > maxDepth);
  });
  /** The filter as it would be sent; undefined if it is incomplete. */
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

  /** Edits a filter from elsewhere, e.g. from tab parameters. If it is unreadable, it is kept as text. */
  take(applied: string | null): void {
    if (applied === this.applied) return;
    this.applied = applied;
    if (applied === this.wire) return;
    this.reset();
  }

  /** Reverts to the active filter. */
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

  /** Changes the rows; the text follows. Ignored if it would overwrite an invalid text. */
  edit(change: (root: DraftGroup) => DraftGroup): void {
    if (this.isTextBroken) return;
    this.#typed = null;
    this.root = change(this.root);
  }

  /** Changes the text; the rows follow as soon as it is a valid filter. */
  type(text: string): void {
    this.#typed = text;
    const checked = checkFilterText(text, this.language);
    if (!checked.isOk) return;
    this.root =
      checked.tree === null ? emptyGroup(this.newId) : readDraft(checked.tree, this.language, this.newId);
  }

  /** Discards an invalid text, and shows the last valid filter. */
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

  /** Closes the editor and removes a rule without input. */
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
