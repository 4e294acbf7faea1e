/** Narrowing of stored rows: a text, or a regular expression between slashes. */
import { createContext, Script } from 'node:vm';
import { AppError } from '../shared/errors.ts';
import { VALUE_SEPARATOR } from './item-row.ts';

/** Picks the indices of the texts that match. Throws INVALID_ARGUMENT where an expression takes too long. */
export type Matcher = (texts: readonly (string | null)[]) => number[];

const REGEX_TIMEOUT_MS = 150;

// biome-ignore lint/suspicious/noControlCharactersInRegex: what needs no normal form, control characters included.
const ONLY_ASCII = /^[\x00-\x7f]*$/;

/** As texts are compared: without case, and with accents in one form. */
export function fold(text: string): string {
  const lower = text.toLowerCase();
  return ONLY_ASCII.test(lower) ? lower : lower.normalize('NFC');
}

/**
 * Reads what a person typed: `/expression/flags` (flags i, m, s, u, v) is matched against each shown value as it
 * is; anything else is a text, found without regard to case. Throws INVALID_ARGUMENT for a broken expression.
 */
export function createMatcher(typed: string): Matcher {
  const parts = /^\/(.+)\/([a-z]*)$/s.exec(typed);
  if (parts !== null) return regexMatcher(parts[1] ?? '', parts[2] ?? '');
  const needle = fold(typed);
  return (texts) => indicesOf(texts, (text) => fold(text).includes(needle));
}

function regexMatcher(source: string, flags: string): Matcher {
  const regex = compile(source, flags);
  const matches = (text: string) => text.split(VALUE_SEPARATOR).some((value) => regex.test(value));
  let texts: readonly (string | null)[] = [];
  let found: number[] = [];
  // An expression that backtracks without end cannot be stopped from inside; the script's time limit can.
  const context = createContext({
    run: () => {
      found = indicesOf(texts, matches);
    },
  });
  const script = new Script('run()');
  return (given) => {
    texts = given;
    try {
      script.runInContext(context, { timeout: REGEX_TIMEOUT_MS });
      return found;
    } catch (problem) {
      throw new AppError(
        'INVALID_ARGUMENT',
        'The regular expression takes too long on these rows. Make it simpler, e.g. without nested repetition.',
        {},
        problem,
      );
    }
  };
}

function indicesOf(texts: readonly (string | null)[], matches: (text: string) => boolean): number[] {
  const found: number[] = [];
  for (const [index, text] of texts.entries()) if (text !== null && matches(text)) found.push(index);
  return found;
}

function compile(source: string, flags: string): RegExp {
  if (!/^[imsuv]*$/.test(flags)) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `The regular expression has the flags "${flags}". Expected some of i, m, s, u, v.`,
    );
  }
  try {
    return new RegExp(source, flags);
  } catch (problem) {
    const why = problem instanceof Error ? problem.message.replace(/^Invalid regular expression: /, '') : '';
    throw new AppError('INVALID_ARGUMENT', `The regular expression is not valid: ${why}.`, {}, problem);
  }
}
