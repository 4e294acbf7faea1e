/** Says why a text is not JSON. Recognizes similar notations of Python and of databases. Pure. */

const NEXT = 'Write it with json.dumps first.';
/** A dict, list or tuple that has texts in single quotes or Python's constants as values. */
const PYTHON = /^(?=[[{(])[\s\S]*(?:[[{(,:\s]'|[[{(,:]\s*(?:None|True|False)\s*[,:)\]}])/;
/**
 * Lists and structs as DuckDB prints them: with unquoted texts or NULL as values. Other texts are in single quotes, as
 * in Python.
 */
const DATABASE =
  /[[{,:]\s*(?!(?:None|True|False|nan|inf|NaT|np\.(?:True|False)_|null|undefined)\s*[,\]}])[\p{L}_](?:[^'",:[\]{}()]*[^'",:[\]{}()\s])?\s*[,\]}]/u;
const CALL = /^(?:[\w.]+\.)?(array|tensor|Tensor|ndarray|OrderedDict|defaultdict|datetime|ObjectId)\(/;
const TUPLE = /^\(.*,.*\)$/s;
/** Numbers separated only by blanks, as numpy prints an array. */
const NUMPY = /^\[[\s\d.eE+-]+\]$/;
const CUT = /^\[[\s\S]*\.\.\.[\s\S]*\]$/;
const NUMBERS_IN_BRACES = /^\{[\s\d.eE+,-]+\}$/;
const NUMBER = String.raw`[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?`;
const BARE_NUMBERS = new RegExp(`^${NUMBER}(?:[\\s,;|]+${NUMBER})+$`, 'i');
/** A list of numbers as Python shows it, with a value that is no number. */
const NOT_FINITE = /^\[(?:[\d.eE+,\s-]|\b(?:nan|inf)\b)+\]$/;

const REASONS: readonly (readonly [isFound: RegExp, found: string, next: string])[] = [
  [CUT, 'a list that a program cut off with “...”', 'Export the whole list with json.dumps.'],
  [CALL, 'an object as Python shows it', 'Write it with json.dumps first, an array with .tolist().'],
  [NUMPY, 'an array as numpy shows it, without commas', 'Write it with json.dumps(array.tolist()) first.'],
  [
    NOT_FINITE,
    'a list with nan or inf, which JSON cannot hold',
    'Replace these values by numbers, or the whole list by no value.',
  ],
  [BARE_NUMBERS, 'numbers without brackets', 'Write them as a list such as [0.1, 0.2].'],
  [NUMBERS_IN_BRACES, 'a list in braces, as PostgreSQL writes arrays', 'Export it with to_json.'],
  [PYTHON, "a value in Python's notation", NEXT],
  [TUPLE, "a tuple in Python's notation", NEXT],
];

/** The program that prints dicts or lists in this form; null for other texts. */
export function shownBy(text: string): 'Python' | 'DuckDB' | null {
  if (!/^[[{]/.test(text) || !PYTHON.test(text)) return null;
  return DATABASE.test(withoutQuoted(text)) ? 'DuckDB' : 'Python';
}

const withoutQuoted = (text: string): string =>
  text.replaceAll(/'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*"/g, "''");

/** The reason if the text has no known notation. */
export const NO_JSON = 'Expected JSON.';

export function jsonReason(text: string): string {
  const trimmed = text.trim();
  if (shownBy(trimmed) === 'DuckDB')
    return 'Expected JSON, got a list or a struct as DuckDB shows it. Export it with to_json.';
  const [, found, next] = REASONS.find(([isFound]) => isFound.test(trimmed)) ?? [];
  return found === undefined ? NO_JSON : `Expected JSON, got ${found}. ${next}`;
}
