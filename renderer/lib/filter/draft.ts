/**
 * A filter that is being edited: rules can be unfinished, every node has an id, and unknown keys are kept.
 * Pure: each change returns a new tree.
 */
import { exactNumber, isRawNumber } from '../../../electron/shared/exact-json.ts';
import {
  FILTER_OPERATORS,
  type FilterOperator,
  type FilterScalar,
  isFilterOperator,
} from '../../../electron/shared/filter-tree.ts';
import { isObject, type JsonObject } from '../records.ts';
import type { FilterLanguage } from './language.ts';

export type ValueType = 'text' | 'number' | 'boolean';

export interface DraftValue {
  text: string;
  type: ValueType;
}

export interface DraftRule {
  kind: 'rule';
  id: number;
  field: string;
  operator: FilterOperator;
  /**
   * Null for a value that is not typed yet. Values that the operator does not use are kept in case the operator
   * changes.
   */
  values: readonly (DraftValue | null)[];
  /** Keys of the rule other than field, operator and value. */
  extra: JsonObject;
}

export interface DraftGroup {
  kind: 'group';
  id: number;
  condition: 'AND' | 'OR';
  rules: readonly DraftNode[];
  /** Keys of the group other than condition and rules. */
  extra: JsonObject;
}

export type DraftNode = DraftRule | DraftGroup;
export type NewId = () => number;

export function emptyRule(newId: NewId, operator: FilterOperator = 'equal', field = ''): DraftRule {
  return { kind: 'rule', id: newId(), field, operator, values: [null], extra: {} };
}

export function emptyGroup(newId: NewId): DraftGroup {
  return { kind: 'group', id: newId(), condition: 'AND', rules: [], extra: {} };
}

/** Copies a node with new ids. */
export function copyNode(node: DraftNode, newId: NewId): DraftNode {
  if (node.kind === 'rule') return { ...node, id: newId() };
  return { ...node, id: newId(), rules: node.rules.map((rule) => copyNode(rule, newId)) };
}

function without(record: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

function draftValue(scalar: unknown): DraftValue {
  if (typeof scalar === 'number' || isRawNumber(scalar)) return { text: String(scalar), type: 'number' };
  if (typeof scalar === 'boolean') return { text: String(scalar), type: 'boolean' };
  return { text: String(scalar), type: 'text' };
}

/** The draft of a tree that `parseFilterTree` accepts. */
export function readDraft(tree: JsonObject, language: FilterLanguage, newId: NewId): DraftGroup {
  const rules = Array.isArray(tree['rules']) ? tree['rules'].filter(isObject) : [];
  return {
    kind: 'group',
    id: newId(),
    condition: tree['condition'] === 'OR' ? 'OR' : 'AND',
    rules: rules.map((node) =>
      'rules' in node || 'condition' in node
        ? readDraft(node, language, newId)
        : readRule(node, language, newId),
    ),
    extra: without(tree, ['condition', 'rules']),
  };
}

function readRule(node: JsonObject, language: FilterLanguage, newId: NewId): DraftRule {
  const operator = operatorOf(String(node['operator']), language);
  const shape = FILTER_OPERATORS[operator];
  const { value } = node;
  const values = shape === 'none' ? [null] : (Array.isArray(value) ? value : [value]).map(draftValue);
  const known = shape === 'none' ? ['field', 'operator'] : ['field', 'operator', 'value'];
  return {
    kind: 'rule',
    id: newId(),
    field: String(node['field']),
    operator,
    values,
    extra: without(node, known),
  };
}

function operatorOf(word: string, { words }: FilterLanguage): FilterOperator {
  const alias = (Object.keys(words) as FilterOperator[]).find((operator) => words[operator] === word);
  return alias ?? (isFilterOperator(word) ? word : 'equal');
}

/** The values that the operator uses: all typed ones for a list, always two for a range. */
export function takenValues({ operator, values }: DraftRule): readonly (DraftValue | null)[] {
  switch (FILTER_OPERATORS[operator]) {
    case 'none':
      return [];
    case 'one':
      return [values[0] ?? null];
    case 'pair':
      return [values[0] ?? null, values[1] ?? null];
    case 'list':
      return values.filter((value) => value !== null);
  }
}

function scalarOf(value: DraftValue | null): FilterScalar | null {
  if (value === null) return null;
  if (value.type === 'boolean') return value.text === 'true';
  if (value.type === 'text') return value.text;
  return exactNumber(value.text) ?? value.text;
}

/** The tree to send. Unfinished rules are written unchanged. */
export function writeDraft(node: DraftNode, language: FilterLanguage): JsonObject {
  if (node.kind === 'group') {
    const rules = node.rules.map((rule) => writeDraft(rule, language));
    return { ...node.extra, condition: node.condition, rules };
  }
  const { field, operator, extra } = node;
  const values = takenValues(node).map(scalarOf);
  const shape = FILTER_OPERATORS[operator];
  const value = shape === 'none' ? {} : { value: shape === 'one' ? (values[0] ?? null) : values };
  return { ...extra, field, operator: language.words[operator] ?? operator, ...value };
}

/** The problem of each unfinished rule, by its id. */
export function findProblems(root: DraftGroup, language: FilterLanguage): Map<number, string> {
  const problems = new Map<number, string>();
  const visit = (node: DraftNode): void => {
    if (node.kind === 'group') node.rules.forEach(visit);
    else {
      const problem = ruleProblem(node, language);
      if (problem !== null) problems.set(node.id, problem);
    }
  };
  visit(root);
  return problems;
}

function ruleProblem(rule: DraftRule, language: FilterLanguage): string | null {
  if (rule.field.trim() === '') return 'Choose a field.';
  const problem = language.fieldProblem(rule.field);
  if (problem !== null) return problem;
  const values = takenValues(rule);
  const shape = FILTER_OPERATORS[rule.operator];
  if (shape === 'list' && values.length === 0) return 'Add at least one value.';
  if (values.includes(null)) return shape === 'pair' ? 'Enter both bounds.' : 'Enter a value.';
  const wrong = values.find((value) => value?.type === 'number' && typeof scalarOf(value) !== 'number');
  return wrong ? `“${wrong.text}” is not a number.` : null;
}

export function countRules(node: DraftNode): number {
  return node.kind === 'rule' ? 1 : node.rules.reduce((sum, rule) => sum + countRules(rule), 0);
}

/** Nesting depth of groups: 1 for a group that contains only rules. */
export function depthOf(node: DraftNode): number {
  return node.kind === 'rule' ? 0 : 1 + Math.max(0, ...node.rules.map(depthOf));
}
