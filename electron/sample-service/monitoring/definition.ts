/** A simple check of definitions in FQL (SERVICE.md F7.3, F11): their words, parentheses and aggregates. */

/** Functions over the rows of a bin; the definition of a metric needs at least one. */
const AGGREGATES = new Set(
  'average avg sum count min max quantile accuracy precision recall f1_score auc tp tn fp fn jsd psi'.split(
    ' ',
  ),
);
const FUNCTIONS = new Set(
  'if is_null is_not_null abs and or not length lower upper attribute round log exp'.split(' '),
);
const WORDS = new Set('true false null and or not'.split(' '));

const TOKEN = /\s+|'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_][\w.]*|\d+(?:\.\d+)?|[=!<>]=|[-+*/<>=(),%^]/gy;

function tokensOf(definition: string): string[] | null {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < definition.length) {
    const found = TOKEN.exec(definition);
    if (found === null) return null;
    if (found[0].trim() !== '') tokens.push(found[0]);
  }
  return tokens;
}

function parenthesesIssue(tokens: readonly string[]): string | null {
  let depth = 0;
  for (const token of tokens) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth < 0) return 'a parenthesis closes that was not opened';
  }
  return depth > 0 ? 'a parenthesis is not closed' : null;
}

function wordIssue(token: string, isCall: boolean, columns: ReadonlySet<string>): string | null {
  const lower = token.toLowerCase();
  if (isCall) return AGGREGATES.has(lower) || FUNCTIONS.has(lower) ? null : `there is no function "${token}"`;
  const name = token.startsWith('"') ? token.slice(1, -1).replaceAll('""', '"') : token;
  if (columns.has(name) || WORDS.has(lower)) return null;
  return `there is no column "${name}"`;
}

/** The problem of a custom metric's definition; null if there is none. It needs an aggregate. */
export function definitionIssue(definition: string, columns: ReadonlySet<string>): string | null {
  const read = readDefinition(definition, columns);
  if (typeof read === 'string') return read;
  return read.hasAggregate ? null : 'it has no aggregate such as average, sum or count';
}

const COMPARISONS = new Set('== != < > <= >= ='.split(' '));
const CONDITIONS = new Set('and or not is_null is_not_null true false'.split(' '));

/** The problem of a segment's definition; null if there is none. It must be a condition on rows. */
export function segmentIssue(
  definition: string,
  columns: ReadonlySet<string>,
  flags: ReadonlySet<string>,
): string | null {
  const read = readDefinition(definition, columns);
  if (typeof read === 'string') return read;
  if (read.hasAggregate) return 'it has an aggregate, but must be true or false for each row';
  const isCondition = read.tokens.some(
    (token) =>
      COMPARISONS.has(token) || CONDITIONS.has(token.toLowerCase()) || flags.has(token.replaceAll('"', '')),
  );
  return isCondition ? null : 'it is not true or false for each row: it compares nothing';
}

/** The tokens of a definition, or its problem. */
function readDefinition(
  definition: string,
  columns: ReadonlySet<string>,
): { tokens: readonly string[]; hasAggregate: boolean } | string {
  const tokens = tokensOf(definition);
  if (tokens === null) return 'it holds a character or a quote that does not belong';
  const parentheses = parenthesesIssue(tokens);
  if (parentheses !== null) return parentheses;
  let hasAggregate = false;
  for (const [index, token] of tokens.entries()) {
    if (!/^["A-Za-z_]/.test(token)) continue;
    const isCall = tokens[index + 1] === '(';
    const issue = wordIssue(token, isCall, columns);
    if (issue !== null) return issue;
    hasAggregate ||= isCall && AGGREGATES.has(token.toLowerCase());
  }
  return { tokens, hasAggregate };
}
