/** Computes the scores of checks on dataset items. Pure. */
import { cutText } from '../../shared/cut-text.ts';
import { AppError, toAppError } from '../../shared/errors.ts';
import { compareDecimals } from '../../shared/exact-decimal.ts';
import { parseExact, writeExact } from '../../shared/exact-json.ts';
import { fold, inOneForm } from '../../shared/fold.ts';
import { boundsText, checkProblem, type ScoreCheck } from '../../shared/score-check.ts';
import type { ScoreValue } from '../../shared/score-model.ts';
import { compileExpression } from '../../shared/text-filter.ts';
import { compileSchema } from './json-schema.ts';

type Inputs = Readonly<Record<string, unknown>>;
/** Returns null if the check passed; otherwise a text with the expected and the actual value, or why nothing is checked. */
type Rule = (inputs: Inputs) => string | null | Unchecked;

/** An item that a check cannot judge. */
interface Unchecked {
  /** A sentence with the reason. */
  skipped: string;
}
/** The score of a check, or why there is none. */
export type Checked = ScoreValue | Unchecked;
export const isUnchecked = (checked: Checked): checked is Unchecked => 'skipped' in checked;

/** Maximum number of characters of an actual value in a reason. */
const MAX_QUOTED = 60;
const MAX_ISSUES = 3;

/**
 * Returns a function from the inputs of an item to its score: 1 and `pass`, or 0 and `fail` with the reason. An item
 * without an expected value has no score. Throws INVALID_ARGUMENT for an invalid expression or schema, and if `names`
 * lacks an input.
 */
export function createCheck(check: ScoreCheck, names: readonly string[]): (inputs: Inputs) => Checked {
  const problem = checkProblem(check, names);
  if (problem !== null) throw new AppError('INVALID_ARGUMENT', `This check cannot run. ${problem}`);
  const rule = ruleOf(check);
  return (inputs) => {
    const reasoning = reasonOf(rule, inputs);
    if (typeof reasoning === 'object' && reasoning !== null) return reasoning;
    const isPassed = reasoning === null;
    return { name: check.kind, value: isPassed ? 1 : 0, label: isPassed ? 'pass' : 'fail', reasoning };
  };
}

/** The result of a rule for one item, which never ends the run. */
function reasonOf(rule: Rule, inputs: Inputs): ReturnType<Rule> {
  try {
    return rule(inputs);
  } catch (thrown) {
    if (isBeyondLimits(thrown)) return BEYOND_LIMITS;
    throw thrown;
  }
}

/** Values of thousands of levels exceed the stack of calls, and very long texts cannot be written. */
const isBeyondLimits = (thrown: unknown): boolean => thrown instanceof RangeError;
const BEYOND_LIMITS: Unchecked = { skipped: 'The value is too large or nested too deep to be checked.' };

function ruleOf(check: ScoreCheck): Rule {
  switch (check.kind) {
    case 'equals':
    case 'contains': {
      const { kind, ignoresCase } = check;
      const written = (value: unknown) =>
        (ignoresCase ? fold(textOf(value)) : inOneForm(textOf(value))).trim();
      return ({ text, expected }) => {
        const [own, wanted] = [written(text), written(expected)];
        // Every text contains an empty one, so passing would prove nothing.
        if (isAbsent(expected) || (kind === 'contains' && wanted === '')) return NOTHING_EXPECTED;
        if (isAbsent(text)) return `Expected ${quoted(expected)}, got no value.`;
        const isPassed = kind === 'equals' ? own === wanted : own.includes(wanted);
        const what = kind === 'equals' ? 'Expected' : 'Expected to contain';
        return isPassed ? null : `${what} ${quoted(expected)}, got ${quoted(text)}.`;
      };
    }
    case 'regex': {
      const expression = compileExpression(inOneForm(check.pattern), check.ignoresCase ? 'i' : '');
      return ({ text }) => {
        if (isAbsent(text)) return `Expected a text that matches /${check.pattern}/, got no value.`;
        return expression.test(inOneForm(textOf(text)))
          ? null
          : `No part matches /${check.pattern}/: ${quoted(text)}.`;
      };
    }
    case 'json-schema':
      return schemaRule(check.schema);
    case 'number':
      return ({ text }) => {
        const written = textOf(text).trim();
        const value = written === '' ? Number.NaN : Number(written);
        // A value such as Infinity fits every range without a maximum.
        if (!Number.isFinite(value)) return `Expected a number, got ${quoted(text)}.`;
        return isDecimalWithin(written, check) ? null : `Expected ${boundsText(check)}, got ${written}.`;
      };
    case 'length':
      return ({ text }) => {
        const { unit } = check;
        if (isAbsent(text)) return `Expected ${boundsText(check)} ${unit}, got no value.`;
        const found = unit === 'words' ? wordsIn(textOf(text)) : [...inOneForm(textOf(text))].length;
        return isWithin(found, check) ? null : `Expected ${boundsText(check)} ${unit}, got ${found}.`;
      };
  }
}

function schemaRule(given: Extract<ScoreCheck, { kind: 'json-schema' }>['schema']): Rule {
  let problemsOf: ReturnType<typeof compileSchema>;
  try {
    problemsOf = compileSchema(given);
  } catch (thrown) {
    const reason = isBeyondLimits(thrown) ? 'it is nested too deep' : toAppError(thrown).message;
    throw new AppError('INVALID_ARGUMENT', `Expected a JSON schema, got one that cannot be used: ${reason}`);
  }
  return ({ text }) => {
    let value: unknown = text;
    if (typeof text === 'string') {
      try {
        value = parseExact(text);
      } catch (thrown) {
        if (isBeyondLimits(thrown)) return BEYOND_LIMITS;
        // Invalid JSON is a result of the check, not an error.
        return `Expected JSON, got ${quoted(text)}.`;
      }
    }
    const reasons = problemsOf(value);
    if (reasons.length === 0) return null;
    const more = reasons.length - MAX_ISSUES;
    return `${reasons.slice(0, MAX_ISSUES).join('; ')}${more > 0 ? `; and ${more} more` : ''}.`;
  };
}

const NOTHING_EXPECTED: Unchecked = {
  skipped: 'Nothing is expected: the expected value of the item is empty.',
};

const isAbsent = (value: unknown): boolean => value === null || value === undefined;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null || value === undefined ? '' : writeExact(value);

const quoted = (value: unknown): string => `“${cutText(textOf(value), MAX_QUOTED)}”`;

const wordsIn = (text: string): number => (text.match(/\S+/gu) ?? []).length;

/** Compares by all digits. Numbers in other digits than decimal ones are compared as doubles. */
function isDecimalWithin(written: string, bounds: { least: number | null; most: number | null }): boolean {
  const order = (bound: number) => compareDecimals(written, String(bound));
  if (Number.isNaN(order(0))) return isWithin(Number(written), bounds);
  const { least, most } = bounds;
  return (least === null || order(least) >= 0) && (most === null || order(most) <= 0);
}

const isWithin = (value: number, { least, most }: { least: number | null; most: number | null }): boolean =>
  (least === null || value >= least) && (most === null || value <= most);
