/** The values of a field that a filter requires, as facets show and change them. Pure. */
import type { FilterScalar } from '../../../electron/shared/filter-tree.ts';
import { isObject, type JsonObject } from '../records.ts';
import type { FilterLanguage } from './language.ts';
import { checkFilterText } from './text.ts';

function treeOf(filter: string | null, language: FilterLanguage): JsonObject | null {
  const checked = checkFilterText(filter ?? '', language);
  return checked.isOk ? checked.tree : null;
}

/** The rules that must all hold. An OR group counts as one rule. */
function requiredRules(tree: JsonObject | null): unknown[] {
  const rules = tree === null || !Array.isArray(tree['rules']) ? [] : tree['rules'];
  return tree?.['condition'] === 'OR' && rules.length > 1 ? [tree] : rules;
}

const equalWord = ({ words }: FilterLanguage): string => words.equal ?? 'equal';

/**
 * The values that a rule allows for the field: its own value, or the values of a group of alternatives; null for other
 * rules.
 */
function valuesOf(rule: unknown, field: string, language: FilterLanguage): FilterScalar[] | null {
  if (!isObject(rule)) return null;
  const { rules, condition } = rule;
  if (Array.isArray(rules)) {
    if (condition !== 'OR' || rules.length === 0) return null;
    const parts = rules.map((each) => valuesOf(each, field, language));
    return parts.includes(null) ? null : parts.flatMap((values) => values ?? []);
  }
  const isAbout = rule['field'] === field && rule['operator'] === equalWord(language);
  return isAbout ? [rule['value'] as FilterScalar] : null;
}

/** The values that the filter names for the field; empty if it names none. */
export function chosenValues(
  filter: string | null,
  field: string,
  language: FilterLanguage,
): readonly FilterScalar[] {
  const [found = []] = requiredRules(treeOf(filter, language)).flatMap((rule) => {
    const values = valuesOf(rule, field, language);
    return values === null ? [] : [values];
  });
  return found;
}

/**
 * The filter with these values in place of earlier values of the field, as text; null for no filter. Other rules stay.
 * Undefined if the filter language cannot express it, e.g. because of too many rules.
 */
export function withChosenValues(
  filter: string | null,
  field: string,
  values: readonly FilterScalar[],
  language: FilterLanguage,
): string | null | undefined {
  const tree = treeOf(filter, language);
  const rules = requiredRules(tree);
  const others = rules.filter((rule) => valuesOf(rule, field, language) === null);
  const own = values.map((value) => ({ field, operator: equalWord(language), value }));
  const added = own.length > 1 ? [{ condition: 'OR', rules: own }] : own;
  if (others.length + added.length === 0) return null;
  // If the whole filter is one group of alternatives, it becomes one rule of the new filter.
  const root = rules.length === 1 && rules[0] === tree ? {} : tree;
  const text = JSON.stringify({ ...root, condition: 'AND', rules: [...others, ...added] });
  return checkFilterText(text, language).isOk ? text : undefined;
}
