/** Checks of dataset items that are computed here, without a model and without a request. */
import { jsonObject } from './json-body.ts';
import { schemaNote } from './json-schema-note.ts';
import * as z from './zod.ts';

const bound = z.number().nullable();
const size = z.int().min(0).nullable();
const MAX_PATTERN = 2_000;

/** A check passes or fails; the bounds `least` and `most` are allowed values. */
export const scoreCheck = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('equals'), ignoresCase: z.boolean() }),
  z.strictObject({ kind: z.literal('contains'), ignoresCase: z.boolean() }),
  /** The expression has RE2 syntax, without look-around and back references. */
  z.strictObject({
    kind: z.literal('regex'),
    pattern: z.string().min(1).max(MAX_PATTERN),
    ignoresCase: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('json-schema'), schema: jsonObject }),
  z.strictObject({ kind: z.literal('number'), least: bound, most: bound }),
  z.strictObject({
    kind: z.literal('length'),
    unit: z.enum(['characters', 'words']),
    least: size,
    most: size,
  }),
]);
export type ScoreCheck = z.infer<typeof scoreCheck>;
type CheckKind = ScoreCheck['kind'];

interface CheckDefinition {
  title: string;
  /** The condition in words, and the names of its inputs. */
  about: string;
  inputs: readonly ('text' | 'expected')[];
}

/** Texts are compared in Unicode NFC. */
const SAME_LETTERS = 'Letters that look the same are equal, such as é as one character or two.';

export const SCORE_CHECKS: Readonly<Record<CheckKind, CheckDefinition>> = {
  equals: {
    ...{
      title: 'Equals',
      about: `The text is the expected one, apart from space around it. Items without an expected one are skipped. ${SAME_LETTERS}`,
    },
    inputs: ['text', 'expected'],
  },
  contains: {
    ...{
      title: 'Contains',
      about: `The text contains the expected one. Items without an expected one are skipped. ${SAME_LETTERS}`,
    },
    inputs: ['text', 'expected'],
  },
  regex: {
    ...{ title: 'Regular expression', about: `A part of the text matches the expression. ${SAME_LETTERS}` },
    inputs: ['text'],
  },
  'json-schema': {
    ...{ title: 'JSON schema', about: 'The text is JSON that fits the schema.' },
    inputs: ['text'],
  },
  number: { ...{ title: 'Number', about: 'The text is a number in this range.' }, inputs: ['text'] },
  length: {
    ...{ title: 'Length', about: 'The number of words or characters is in this range.' },
    inputs: ['text'],
  },
};
export const CHECK_KINDS = Object.keys(SCORE_CHECKS) as CheckKind[];

/** Examples: `10 to 40`, `at least 10`, `at most 40`. */
export function boundsText({ least, most }: { least: number | null; most: number | null }): string {
  if (least === null) return `at most ${most}`;
  return most === null ? `at least ${least}` : `${least} to ${most}`;
}

/** The name of a check in the place of an evaluator's, e.g. `length, at most 40 words`. */
export function checkName(check: ScoreCheck): string {
  switch (check.kind) {
    case 'regex':
      return `matches /${check.pattern}/${check.ignoresCase ? 'i' : ''}`;
    case 'json-schema':
      return 'fits JSON schema';
    case 'number':
      return `number ${boundsText(check)}`;
    case 'length':
      return `length ${boundsText(check)} ${check.unit}`;
    default:
      return `${check.kind}${check.ignoresCase ? ', ignoring case' : ''}`;
  }
}

/** Why a check cannot run with inputs of these names; null if it can. The expression and the schema are checked on start. */
export function checkProblem(check: ScoreCheck, inputs: readonly string[]): string | null {
  const missing = SCORE_CHECKS[check.kind].inputs.filter((input) => !inputs.includes(input));
  if (missing.length > 0) return `Choose a source for ${missing.join(' and ')}.`;
  if (check.kind !== 'number' && check.kind !== 'length') return null;
  const { least, most } = check;
  if (least === null && most === null) return 'Enter a least or a most value.';
  return least !== null && most !== null && least > most ? 'The least value is above the most.' : null;
}

/** A sentence to show before a check runs, if its schema has no rules or parts that are not checked; null otherwise. */
export const checkNote = (check: ScoreCheck): string | null =>
  check.kind === 'json-schema' ? schemaNote(check.schema) : null;
