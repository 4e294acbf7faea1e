/** Changes to a filter draft. Pure: each returns a new tree, or the same one if the change does not apply. */
import { FILTER_OPERATORS, type FilterOperator } from '../../../electron/shared/filter-tree.ts';
import {
  copyNode,
  type DraftGroup,
  type DraftNode,
  type DraftRule,
  type DraftValue,
  emptyGroup,
  type NewId,
  type ValueType,
} from './draft.ts';

/** The group that contains this node, and the node's index in it; null for the root and for unknown ids. */
export function parentOf(root: DraftGroup, id: number): { group: DraftGroup; index: number } | null {
  const index = root.rules.findIndex((node) => node.id === id);
  if (index !== -1) return { group: root, index };
  for (const node of root.rules) {
    const found = node.kind === 'group' ? parentOf(node, id) : null;
    if (found !== null) return found;
  }
  return null;
}

export function findNode(root: DraftGroup, id: number): DraftNode | null {
  if (root.id === id) return root;
  const place = parentOf(root, id);
  return place === null ? null : (place.group.rules[place.index] ?? null);
}

/** Replaces a node with any number of others. */
function replaceNode(root: DraftGroup, id: number, by: readonly DraftNode[]): DraftGroup {
  const rules = root.rules.flatMap((node): readonly DraftNode[] => {
    if (node.id === id) return by;
    return node.kind === 'group' ? [replaceNode(node, id, by)] : [node];
  });
  return { ...root, rules };
}

export function changeGroup(
  root: DraftGroup,
  id: number,
  change: (group: DraftGroup) => DraftGroup,
): DraftGroup {
  if (root.id === id) return change(root);
  const node = findNode(root, id);
  return node?.kind === 'group' ? replaceNode(root, id, [change(node)]) : root;
}

export function changeRule(root: DraftGroup, id: number, change: (rule: DraftRule) => DraftRule): DraftGroup {
  const node = findNode(root, id);
  return node?.kind === 'rule' ? replaceNode(root, id, [change(node)]) : root;
}

export function addNode(root: DraftGroup, groupId: number, node: DraftNode, at?: number): DraftGroup {
  return changeGroup(root, groupId, (group) => ({
    ...group,
    rules: group.rules.toSpliced(at ?? group.rules.length, 0, node),
  }));
}

/** Removes a node, and every group that this leaves empty. */
export function removeNode(root: DraftGroup, id: number): DraftGroup {
  const place = parentOf(root, id);
  if (place === null) return root;
  if (place.group.rules.length === 1 && place.group.id !== root.id) return removeNode(root, place.group.id);
  return replaceNode(root, id, []);
}

/** Wraps a node in a group. */
export function wrapNode(root: DraftGroup, id: number, newId: NewId): DraftGroup {
  const node = findNode(root, id);
  if (node === null || node.id === root.id) return root;
  return replaceNode(root, id, [{ ...emptyGroup(newId), rules: [node] }]);
}

/** Replaces a group with its contents. */
export function dissolveGroup(root: DraftGroup, id: number): DraftGroup {
  const node = findNode(root, id);
  return node?.kind === 'group' && node.id !== root.id ? replaceNode(root, id, node.rules) : root;
}

/** Moves a node out of its group, to the position after the group. */
export function liftNode(root: DraftGroup, id: number): DraftGroup {
  const place = parentOf(root, id);
  const node = findNode(root, id);
  if (place === null || node === null || place.group.id === root.id) return root;
  const rest = place.group.rules.filter((each) => each.id !== id);
  const inner = rest.length === 0 ? [] : [{ ...place.group, rules: rest }];
  return replaceNode(root, place.group.id, [...inner, node]);
}

/** Moves a node one position up or down within its group. */
export function moveNode(root: DraftGroup, id: number, by: 1 | -1): DraftGroup {
  const place = parentOf(root, id);
  if (place === null) return root;
  const to = place.index + by;
  const node = place.group.rules[place.index];
  if (node === undefined || to < 0 || to >= place.group.rules.length) return root;
  return changeGroup(root, place.group.id, (group) => ({
    ...group,
    rules: group.rules.toSpliced(place.index, 1).toSpliced(to, 0, node),
  }));
}

export function duplicateNode(root: DraftGroup, id: number, newId: NewId): DraftGroup {
  const place = parentOf(root, id);
  const node = findNode(root, id);
  if (place === null || node === null) return root;
  return addNode(root, place.group.id, copyNode(node, newId), place.index + 1);
}

/** The rule with another operator; values that the new operator also accepts are kept. */
export function withOperator(rule: DraftRule, operator: FilterOperator): DraftRule {
  const shape = FILTER_OPERATORS[operator];
  if (shape === 'pair' && rule.values.length < 2)
    return { ...rule, operator, values: [...rule.values, null] };
  return { ...rule, operator };
}

export function withValue(rule: DraftRule, at: number, value: DraftValue | null): DraftRule {
  const length = Math.max(rule.values.length, at + 1);
  const values = Array.from({ length }, (_, index) => (index === at ? value : (rule.values[index] ?? null)));
  return { ...rule, values };
}

export function withoutValue(rule: DraftRule, at: number): DraftRule {
  return { ...rule, values: rule.values.toSpliced(at, 1) };
}

const ORDERED: ReadonlySet<FilterOperator> = new Set<FilterOperator>([
  'less',
  'less_or_equal',
  'greater',
  'greater_or_equal',
  'between',
  'not_between',
]);

/** The most likely type of a typed text; the type of the field if it is known. */
export function guessType(text: string, operator: FilterOperator, fieldType: ValueType | null): ValueType {
  const isNumber = text.trim() !== '' && Number.isFinite(Number(text));
  if (fieldType === 'number') return isNumber ? 'number' : 'text';
  if (fieldType === 'boolean') return text === 'true' || text === 'false' ? 'boolean' : 'text';
  if (fieldType === null && isNumber && ORDERED.has(operator)) return 'number';
  return 'text';
}
