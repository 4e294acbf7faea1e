/** Says why a text is not JSON: the notations of Python and of databases that look like it. Pure. */

const NEXT = 'Write it with json.dumps first.';
/** A dict, list or tuple with texts in single quotes, or words of Python as values. */
const PYTHON = /^(?=[[{(])[\s\S]*(?:[[{(,:\s]'|[[{(,:]\s*(?:None|True|False)\s*[,:)\]}])/;
const CALL = /^(?:[\w.]+\.)?(array|tensor|Tensor|ndarray|OrderedDict|defaultdict|datetime|ObjectId)\(/;
const TUPLE = /^\(.*,.*\)$/s;
/** Numbers apart by blanks alone, as numpy shows an array. */
const NUMPY = /^\[[\s\d.eE+-]+\]$/;
const CUT = /^\[[\s\S]*\.\.\.[\s\S]*\]$/;
const NUMBERS_IN_BRACES = /^\{[\s\d.eE+,-]+\}$/;

const REASONS: readonly (readonly [isFound: RegExp, found: string, next: string])[] = [
  [CUT, 'a list that a program cut off with “...”', 'Export the whole list with json.dumps.'],
  [CALL, 'an object as Python shows it', 'Write it with json.dumps first, an array with .tolist().'],
  [NUMPY, 'an array as numpy shows it, without commas', 'Write it with json.dumps(array.tolist()) first.'],
  [NUMBERS_IN_BRACES, 'a list in braces, as PostgreSQL writes arrays', 'Export it with to_json.'],
  [PYTHON, "a value in Python's notation", NEXT],
  [TUPLE, "a tuple in Python's notation", NEXT],
];

/** True for a dict or a list as Python shows it. */
export const isPythonText = (text: string): boolean => /^[[{]/.test(text) && PYTHON.test(text);

export function jsonReason(text: string): string {
  const trimmed = text.trim();
  const [, found, next] = REASONS.find(([isFound]) => isFound.test(trimmed)) ?? [];
  return found === undefined ? 'Expected JSON.' : `Expected JSON, got ${found}. ${next}`;
}
