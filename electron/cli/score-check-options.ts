/** `score-items --check KIND`: makes a check that is computed on this computer from its options. */
import { AppError } from '../shared/errors.ts';
import { exactNumber, type RawNumber } from '../shared/exact-json.ts';
import { jsonObject } from '../shared/json-body.ts';
import { CHECK_KINDS, type ScoreCheck, scoreCheck } from '../shared/score-check.ts';
import type { CommandContext } from './context.ts';
import { readJsonOption } from './json-argument.ts';

/** The check; null without `--check`. Throws INVALID_ARGUMENT. */
export async function readCheck(context: CommandContext): Promise<ScoreCheck | null> {
  const { args } = context;
  const typed = args.text('check');
  if (typed === null) {
    checkOptions(args, [], '--evaluator');
    return null;
  }
  const kind = CHECK_KINDS.find((each) => each === typed);
  if (kind === undefined)
    throw new AppError('INVALID_ARGUMENT', `--check expects one of ${CHECK_KINDS.join(', ')}; got ${typed}.`);
  checkOptions(args, OPTIONS[kind], `--check ${kind}`);
  const check = { kind, ...(await optionsOf(context, kind)) };
  const parsed = scoreCheck.safeParse(check);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : ` --${issue.path.join('.')}:`;
  throw new AppError('INVALID_ARGUMENT', `--check ${kind} cannot be read.${where} ${issue?.message ?? ''}.`);
}

const OPTIONS: Readonly<Record<ScoreCheck['kind'], readonly string[]>> = {
  equals: ['ignore-case'],
  contains: ['ignore-case'],
  regex: ['pattern', 'ignore-case'],
  'json-schema': ['schema'],
  number: ['least', 'most'],
  length: ['unit', 'least', 'most'],
};
const ALL_OPTIONS = ['pattern', 'schema', 'least', 'most', 'unit', 'ignore-case'];

/** Throws INVALID_ARGUMENT for an option of another check, without which the scores would mean something else. */
function checkOptions({ given }: CommandContext['args'], taken: readonly string[], what: string): void {
  const of = what === '--evaluator' ? ALL_OPTIONS : [...ALL_OPTIONS, 'parameters'];
  const extra = given.find((name) => of.includes(name) && !taken.includes(name));
  if (extra !== undefined) throw new AppError('INVALID_ARGUMENT', `score-items ${what} takes no --${extra}.`);
}

async function optionsOf(
  context: CommandContext,
  kind: ScoreCheck['kind'],
): Promise<Record<string, unknown>> {
  const { args } = context;
  const ignoresCase = args.flag('ignore-case');
  switch (kind) {
    case 'regex':
      return { pattern: given(context, 'pattern', kind), ignoresCase };
    case 'json-schema': {
      given(context, 'schema', kind);
      const schema = jsonObject.safeParse(await readJsonOption(context, 'schema'));
      if (schema.success) return { schema: schema.data };
      throw new AppError('INVALID_ARGUMENT', '--schema expects a JSON object, such as {"type": "object"}.');
    }
    case 'number':
      return bounds(context);
    case 'length':
      return { unit: args.text('unit') ?? 'characters', ...bounds(context) };
    default:
      return { ignoresCase };
  }
}

function given({ args }: CommandContext, option: string, kind: string): string {
  const text = args.text(option);
  if (text === null) throw new AppError('INVALID_ARGUMENT', `--check ${kind} expects --${option}.`);
  return text;
}

function bounds({ args }: CommandContext): { least: number | null; most: number | null } {
  const read = (option: 'least' | 'most') => {
    const text = args.text(option);
    if (text === null) return null;
    const value = exactNumber(text);
    if (typeof value === 'number') return value;
    throw new AppError('INVALID_ARGUMENT', `--${option} expects ${boundWords(value)}, got ${text}.`);
  };
  return { least: read('least'), most: read('most') };
}

/** The expected number in words, for a typed one that cannot be a bound. */
function boundWords(value: RawNumber | null): string {
  if (value === null) return 'a number';
  return Number.isFinite(value.valueOf())
    ? 'a number that is exact in at most 15 to 17 digits'
    : 'a number between -1.8e308 and 1.8e308';
}
