/** Recognizes texts in notations that would be read as a table of nonsense. Pure. */

interface Notation {
  /** The text that was found, as a noun. */
  found: string;
  /** A sentence with the next step. */
  next: string;
}

const EXPORT = 'Export it as CSV or JSONL first.';
const YAML: Notation = { found: 'a YAML document', next: EXPORT };
const NOTATIONS: readonly (readonly [RegExp, Notation])[] = [
  [
    /^\[?\s*\{\s*u?'[^'\r\n]*'\s*:/,
    { found: "dicts in Python's notation", next: 'Write them with json.dumps first.' },
  ],
  [
    /^(?:(?:\/\/.*|\/\*[\s\S]*?\*\/)\s*)*\[?\s*\{\s*(?:(?:\/\/.*|\/\*[\s\S]*?\*\/)\s*)*[A-Za-z_$][\w$]*\s*:/,
    { found: 'objects whose keys have no quotes (JavaScript, JSON5)', next: 'Write them as JSON first.' },
  ],
  [
    /^(?:(?:\/\/.*|\/\*[\s\S]*?\*\/)\s*)+[[{]/,
    { found: 'JSON with comments', next: 'Remove the comments first.' },
  ],
  [
    /^(?:---[^\S\n]*\r?\n)?(?:#.*\r?\n)*(?:- [\w"' -]+:(?: .*)?\r?\n +[\w"' -]+:|[\w-]+:[^\S\n]*\r?\n *- )/,
    YAML,
  ],
  [
    /^(?:\s|--.*|\/\*[\s\S]*?\*\/;?|SET .*;|BEGIN.*;|USE .*;)*(?:INSERT\s+INTO|CREATE\s+TABLE|DROP\s+TABLE)\s/i,
    { found: 'SQL statements', next: EXPORT },
  ],
];

/** `start`: the beginning of the file, without a byte order mark. Null for tables, JSON and any other text. */
export function otherNotation(file: string, start: string): Notation | null {
  const text = start.trimStart();
  // JSON is YAML, too.
  if (/\.ya?ml$/i.test(file) && !/^[[{]/.test(text)) return YAML;
  return NOTATIONS.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}
