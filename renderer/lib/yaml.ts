/** Values as YAML that versions 1.1 and 1.2 read the same. Pure. */
import { isRawNumber } from '../../electron/shared/exact-json.ts';

/** A text that no version takes for anything but a text. */
const PLAIN = /^[A-Za-z](?:[\w ./-]*[\w./-])?$/;
const WORDS = new Set(['y', 'n', 'yes', 'no', 'on', 'off', 'true', 'false', 'null']);
/** Between quotes YAML takes them for ends of lines, or does not allow them. */
const UNSAFE = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

/** Lines of their own read best, where they come back as they are: no other ends of lines, none that begins or is blank. */
function isBlock(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is not allowed
  if (!text.includes('\n') || /[\u0000-\u0008\u000b-\u001f]/.test(text) || text.search(UNSAFE) !== -1)
    return false;
  return !/^\s|\n[ \t]+(?:\n|$)|\n\n$/.test(text);
}

function scalar(text: string): string {
  if (PLAIN.test(text) && !WORDS.has(text.toLowerCase())) return text;
  const escaped = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(text).replaceAll(UNSAFE, escaped);
}

/** Version 1.1 takes a number with an exponent and no point for a text. */
const number = (digits: string): string =>
  digits.replace(/^(-?\d+)[eE]([+-]?)/, (_, whole, sign) => `${whole}.0e${sign || '+'}`);

/** What follows `key:` or `-`: a value on the same line, or lines of their own below. */
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

/** With the end of its last line. */
export function toYaml(value: unknown): string {
  if (typeof value !== 'object' || value === null || isRawNumber(value))
    return `${written(value, '').line}\n`;
  const lines = linesOf(value, '');
  return lines.length === 0 ? `${Array.isArray(value) ? '[]' : '{}'}\n` : `${lines.join('\n')}\n`;
}
