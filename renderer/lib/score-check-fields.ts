/** Form fields of a check, and the check that they describe. Pure. */
import { exactNumber, isRawNumber, parseExactObject } from '../../electron/shared/exact-json.ts';
import { type ScoreCheck, scoreCheck } from '../../electron/shared/score-check.ts';
import { isObject, objectProblem, textField } from './records.ts';

/** Each text as typed; empty if nothing was typed. */
export interface CheckFields {
  pattern: string;
  schema: string;
  least: string;
  most: string;
  unit: 'characters' | 'words';
  ignoresCase: boolean;
}

export const NO_RULES: CheckFields = {
  ...{ pattern: '', schema: '', least: '', most: '', unit: 'words', ignoresCase: false },
};

/** Reads the fields stored with a draft. */
export function readRules(value: unknown): CheckFields {
  if (!isObject(value)) return { ...NO_RULES };
  return {
    pattern: textField(value, 'pattern'),
    schema: textField(value, 'schema'),
    least: textField(value, 'least'),
    most: textField(value, 'most'),
    unit: value['unit'] === 'characters' ? 'characters' : 'words',
    ignoresCase: value['ignoresCase'] === true,
  };
}

/** The check, or a sentence about missing input. */
export function readCheckFields(kind: ScoreCheck['kind'], fields: CheckFields): ScoreCheck | string {
  const { pattern, schema, unit, ignoresCase } = fields;
  switch (kind) {
    case 'equals':
    case 'contains':
      return { kind, ignoresCase };
    case 'regex':
      return pattern === '' ? 'Enter a regular expression.' : { kind, pattern, ignoresCase };
    case 'json-schema': {
      if (schema.trim() === '') return 'Enter a JSON schema.';
      const problem = objectProblem(schema);
      if (problem !== null) return problem;
      return read({ kind, schema: parseExactObject(schema) });
    }
    case 'number':
    case 'length': {
      const [least, most] = [boundOf(fields.least), boundOf(fields.most)];
      if (least === 'out of range' || most === 'out of range')
        return 'Minimum and maximum must be between -1.8e308 and 1.8e308.';
      if (least === 'inexact' || most === 'inexact')
        return 'Minimum and maximum must be exact in at most 15 to 17 digits.';
      if (Number.isNaN(least) || Number.isNaN(most)) return 'Minimum and maximum must be numbers.';
      if (least === null && most === null) return 'Enter the least or the most that passes.';
      return read(kind === 'number' ? { kind, least, most } : { kind, unit, least, most });
    }
  }
}

/** Null if nothing was typed, NaN for no number. */
function boundOf(typed: string): number | null | 'inexact' | 'out of range' {
  if (typed.trim() === '') return null;
  const value = exactNumber(typed);
  if (!isRawNumber(value)) return value ?? Number.NaN;
  return Number.isFinite(value.valueOf()) ? 'inexact' : 'out of range';
}

function read(check: unknown): ScoreCheck | string {
  const parsed = scoreCheck.safeParse(check);
  return parsed.success ? parsed.data : `The check cannot be read: ${parsed.error.issues[0]?.message ?? ''}.`;
}
