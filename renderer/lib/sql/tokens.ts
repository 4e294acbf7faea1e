/** Tokenizes typed SQL for syntax colouring and completion. Pure. */

type TokenKind = 'keyword' | 'function' | 'name' | 'text' | 'number' | 'comment' | 'other';

export interface Token {
  kind: TokenKind;
  text: string;
  /** Position of the first character. */
  at: number;
}

export const KEYWORDS = [
  ...['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'ORDER BY', 'HAVING', 'LIMIT', 'OFFSET', 'QUALIFY', 'DISTINCT'],
  ...['JOIN', 'LEFT JOIN', 'FULL JOIN', 'CROSS JOIN', 'ANTI JOIN', 'SEMI JOIN', 'USING', 'ON', 'AS', 'WITH'],
  ...['AND', 'OR', 'NOT', 'IN', 'IS NULL', 'IS NOT NULL', 'LIKE', 'ILIKE', 'BETWEEN', 'EXISTS'],
  ...['CASE', 'WHEN', 'THEN', 'ELSE', 'END', 'ASC', 'DESC', 'NULLS LAST', 'UNION ALL', 'EXCEPT', 'INTERSECT'],
  ...['OVER', 'PARTITION BY', 'FILTER', 'INTERVAL', 'TRUE', 'FALSE', 'NULL', 'EXCLUDE', 'VALUES'],
  ...['DESCRIBE', 'SUMMARIZE', 'RECURSIVE', 'ALL', 'BY'],
] as const;

/** Functions offered in completion, with their arguments. The engine has many more. */
export const FUNCTIONS: Readonly<Record<string, string>> = {
  ...{ count: '(*)', sum: '(x)', avg: '(x)', min: '(x)', max: '(x)', median: '(x)', mode: '(x)' },
  ...{ quantile_cont: '(x, 0.95)', stddev: '(x)', approx_count_distinct: '(x)', arg_max: '(x, by)' },
  ...{ string_agg: "(x, ', ')", list: '(x)', histogram: '(x)', first: '(x)', row_number: '() OVER ()' },
  ...{ date_trunc: "('day', time)", time_bucket: "(INTERVAL '1 hour', time)", now: '()' },
  ...{ extract: '(hour FROM time)', epoch_ms: '(time)', strftime: "(time, '%Y-%m-%d')", age: '(a, b)' },
  ...{ lower: '(text)', upper: '(text)', length: '(text)', trim: '(text)', contains: '(text, part)' },
  ...{
    regexp_matches: "(text, 'pattern')",
    regexp_extract: "(text, 'pattern', 1)",
    split_part: "(text, ' ', 1)",
  },
  ...{ json_extract_string: "(json, '$.key')", json_keys: '(json)', unnest: '(list)', len: '(list)' },
  ...{ coalesce: '(a, b)', nullif: '(a, b)', round: '(x, 2)', floor: '(x)', abs: '(x)', ln: '(x)' },
  ...{ greatest: '(a, b)', least: '(a, b)', try_cast: '(x AS DOUBLE)', cast: '(x AS DOUBLE)' },
};

const WORDS = new Set(KEYWORDS.flatMap((keyword) => keyword.split(' ')));
const PIECE =
  /(--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|('(?:[^']|'')*(?:'|$))|("(?:[^"]|"")*(?:"|$))|(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([\p{L}_][\p{L}\d_]*)|(\s+|.)/gsu;

export function tokensOf(sql: string): Token[] {
  return [...sql.matchAll(PIECE)].map((found) => {
    const [text, comment, string, quoted, number, word] = found;
    const at = found.index;
    if (comment !== undefined) return { kind: 'comment', text, at };
    if (string !== undefined) return { kind: 'text', text, at };
    if (quoted !== undefined) return { kind: 'name', text, at };
    if (number !== undefined) return { kind: 'number', text, at };
    if (word === undefined) return { kind: 'other', text, at };
    if (WORDS.has(word.toUpperCase())) return { kind: 'keyword', text, at };
    const isCalled = /^\s*\(/.test(sql.slice(at + text.length, at + text.length + 20));
    return { kind: isCalled ? 'function' : 'name', text, at };
  });
}

/**
 * The character offset of a line and column. Both are counted from 1, and columns count code points, as in the engine.
 */
export function offsetOf(sql: string, { line, column }: { line: number; column: number }): number {
  const lines = sql.split('\n');
  const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
  const inLine = [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
  return Math.min(sql.length, before + inLine);
}
