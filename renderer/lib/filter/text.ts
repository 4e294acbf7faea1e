/** A filter as text: readably formatted, and checked with the positions of errors. Pure. */
import { FilterError, parseFilterTree } from '../../../electron/shared/filter-tree.ts';
import { JsonMistake, type JsonSpan, lineAndColumn, readJson } from '../json-places.ts';
import { isObject, type JsonObject } from '../records.ts';
import { type FilterLanguage, vocabularyOf } from './language.ts';

export interface FilterProblem {
  message: string;
  span: JsonSpan;
  /** Counted from 1. */
  line: number;
  column: number;
}

type CheckedFilter =
  /** The tree is null if the text, and therefore the filter, is empty. */
  { isOk: true; tree: JsonObject | null } | { isOk: false; problem: FilterProblem };

/** Parses the text of a filter. An empty text means no filter. */
export function checkFilterText(text: string, language: FilterLanguage): CheckedFilter {
  if (text.trim() === '') return { isOk: true, tree: null };
  const refuse = (message: string, span: JsonSpan): CheckedFilter => ({
    isOk: false,
    problem: { message, span, ...lineAndColumn(text, span.start) },
  });
  try {
    const { value, placeOf } = readJson(text);
    try {
      parseFilterTree(value, vocabularyOf(language));
    } catch (thrown) {
      if (thrown instanceof FilterError) return refuse(thrown.message, placeOf(thrown.place));
      throw thrown;
    }
    const field = fieldError(value, language, []);
    if (field !== null) return refuse(field.message, placeOf(field.place));
    return { isOk: true, tree: isObject(value) ? value : null };
  } catch (thrown) {
    if (!(thrown instanceof JsonMistake)) throw thrown;
    return refuse(thrown.message, { start: thrown.at, end: thrown.at + 1 });
  }
}

function fieldError(
  node: unknown,
  language: FilterLanguage,
  place: readonly (string | number)[],
): { message: string; place: readonly (string | number)[] } | null {
  if (!isObject(node)) return null;
  const { rules, field } = node;
  if (Array.isArray(rules)) {
    for (const [index, rule] of rules.entries()) {
      const found = fieldError(rule, language, [...place, 'rules', index]);
      if (found !== null) return found;
    }
    return null;
  }
  const message = language.fieldProblem(String(field));
  return message === null ? null : { message, place: [...place, 'field'] };
}

/** Writes groups over several lines and each rule on one line. */
export function formatFilter(node: unknown, indent = ''): string {
  if (!isObject(node) || !Array.isArray(node['rules']) || node['rules'].length === 0) return inline(node);
  const inner = `${indent}  `;
  const entries = Object.entries(node).map(([key, value]) => {
    if (key !== 'rules' || !Array.isArray(value)) return `${inner}${JSON.stringify(key)}: ${inline(value)}`;
    const rules = value.map((rule) => `${inner}  ${formatFilter(rule, `${inner}  `)}`);
    return `${inner}"rules": [\n${rules.join(',\n')}\n${inner}]`;
  });
  return `{\n${entries.join(',\n')}\n${indent}}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).map(([key, part]) => `${JSON.stringify(key)}: ${inline(part)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}
