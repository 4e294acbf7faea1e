/** Converts a row of SQL to a record. */
import { exactNumber, parseExact, signedZeros } from './exact-json.ts';
import type { SqlColumn } from './sql-model.ts';

/** The columns become fields; numbers keep all digits, and JSON is nested. */
export function recordOf(columns: readonly SqlColumn[], row: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(columns.map(({ name, type }, index) => [name, exactValue(type, row[index])]));
}

const NUMBER_TYPE = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|DECIMAL\()/;

/** The value as JSON, with all digits. */
function exactValue(type: string, value: unknown): unknown {
  if (typeof value !== 'string') return signedZeros(value ?? null);
  if (type === 'JSON') return parsedOrText(value);
  return NUMBER_TYPE.test(type) ? (exactNumber(value) ?? value) : value;
}

/** Parses JSON; a JSON text that was cut because of its length stays a text. */
function parsedOrText(json: string): unknown {
  try {
    return parseExact(json);
  } catch (problem) {
    if (problem instanceof SyntaxError) return json;
    throw problem;
  }
}
