/** Rules for the filters of each operation, as data: operators and their words, fields and limits. */
import {
  FILTER_OPERATORS,
  type FilterOperator,
  type FilterVocabulary,
} from '../../../electron/shared/filter-tree.ts';
import { OPERATOR_WORDS } from './words.ts';

export interface FilterLanguage {
  /** Operators offered for a new rule, in this order. A rule from text can use any other operator. */
  operators: readonly FilterOperator[];
  /** Operators that are sent under another name than their own. */
  words: Readonly<Partial<Record<FilterOperator, string>>>;
  maxDepth: number | null;
  maxRules: number | null;
  /** Note shown under the rows. */
  note: string | null;
  /** Title of a field that has no better one. */
  titleOf: (field: string) => string;
  /** The reason why this is not a valid field, or null. */
  fieldProblem: (field: string) => string | null;
}

/** Filters of lists (SERVICE.md S2.9, F4). */
export const LIST_FILTERS: FilterLanguage = {
  operators: Object.keys(OPERATOR_WORDS) as FilterOperator[],
  words: {},
  maxDepth: null,
  maxRules: null,
  note: null,
  titleOf: (field) => field,
  fieldProblem: () => null,
};

const COLUMN = 'Span::';
const ATTRIBUTE = 'SpanAttribute::';

/** Filters of the span operations (SERVICE.md F2.1 and F2.3): `eq` is the only documented operator. */
export const SPAN_FILTERS: FilterLanguage = {
  operators: ['equal'],
  words: { equal: 'eq' },
  maxDepth: 3,
  maxRules: 10,
  note: 'Spans support only the operator “is”.',
  titleOf: (field) => {
    const prefix = [COLUMN, ATTRIBUTE].find((each) => field.startsWith(each)) ?? '';
    return field.slice(prefix.length);
  },
  fieldProblem: (field) =>
    [COLUMN, ATTRIBUTE].some((prefix) => field.startsWith(prefix) && field.length > prefix.length)
      ? null
      : `Write ${COLUMN}${field || 'name'} for a column, ${ATTRIBUTE}${field || 'key'} for an attribute.`,
};

export function vocabularyOf({ words, maxDepth, maxRules }: FilterLanguage): FilterVocabulary {
  const aliases: Record<string, FilterOperator> = {};
  for (const operator of Object.keys(FILTER_OPERATORS) as FilterOperator[]) {
    const word = words[operator];
    if (word !== undefined) aliases[word] = operator;
  }
  return {
    aliases,
    ...(maxDepth === null ? {} : { maxDepth }),
    ...(maxRules === null ? {} : { maxRules }),
  };
}
