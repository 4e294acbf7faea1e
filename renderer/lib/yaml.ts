/** Writes values as YAML that versions 1.1 and 1.2 read identically. Pure. */
import { isRawNumber } from '../../electron/shared/exact-json.ts';

/** Texts that need no quotes: every version reads them as text. */
const PLAIN = /^[A-Za-z](?:[\w ./-]*[\w./-])?$/;
const WORDS = new Set(['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null']);
/** Characters that YAML treats as line ends, or forbids, even within quotes. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

/**
 * Whether a text can be a block scalar, the most readable form. It must preserve the text: no other line ends, no
 * leading space or blank line.
 */
function isBlock(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the expression rejects them.
  if (!text.includes('\n') || /[\u0000-\u0008\u000b-\u001f]/.test(text) || text.search(UNSAFE) !== -1)
    return false;
  return !/^\s|\n[ \t]+(?:\n|$)|\n\n$/.test(text);
}

function scalar(text: string): string {
  if (PLAIN.test(text) && !WORDS.has(text.toLowerCase())) return text;
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replaceAll(UNSAFE, escaped);
}

/** Version 1.1 reads a number with an exponent but without a point as text. */
const number = (digits: string): string =>
  digits.replace(/^(-?\d+)[eE]([+-]?)/, (_, whole, sign) => `${whole}.0e${sign || '+'}`);

/** The text after `key:` or `-`: a value on the same line, or lines below it. */
function written(value: unknown, indent: string): { line: string; below: string[] } {
  if (value === null || value === undefined) return { line: 'null', below: [] };
  if (isRawNumber(value)) return { line: number(value.digits), below: [] };
  if (typeof value === 'number')
    return { line: Number.isFinite(value) ? number(String(value)) : 'null', below: [] };
  if (typeof value === 'boolean') return { line: String(value), below: [] };
  if (typeof value === 'object') {
    const below = linesOf(value, indent);
    return below.length > 0 ? { line: '', below } : { line: Array.isArray(value) ? '[]' : '{}', below };
  }
  const text = String(value);
  if (!isBlock(text)) return { line: scalar(text), below: [] };
  const isEnded = text.endsWith('\n');
  const lines = (isEnded ? text.slice(0, -1) : text).split('\n');
  return { line: isEnded ? '|' : '|-', below: lines.map((line) => (line === '' ? '' : indent + line)) };
}

function linesOf(value: object, indent: string): string[] {
  if (Array.isArray(value)) {
    return value.flatMap((each) => {
      const { line, below } = written(each, `${indent}  `);
      if (line !== '') return [`${indent}- ${line}`, ...below];
      const [first = '', ...rest] = below;
      return [`${indent}- ${first.trimStart()}`, ...rest];
    });
  }
  return Object.entries(value).flatMap(([key, each]) => {
    if (each === undefined) return [];
    const { line, below } = written(each, `${indent}  `);
    return [`${indent}${scalar(key)}:${line === '' ? '' : ` ${line}`}`, ...below];
  });
}

/** The value as YAML, ending with a line break. */
export function toYaml(value: unknown): string {
  if (typeof value !== 'object' || value === null || isRawNumber(value))
    return `${written(value, '').line}\n`;
  const lines = linesOf(value, '');
  return lines.length === 0 ? `${Array.isArray(value) ? '[]' : '{}'}\n` : `${lines.join('\n')}\n`;
}
