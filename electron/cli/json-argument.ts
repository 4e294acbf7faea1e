/** Parses JSON given as an argument, in a file or on standard input. */
import { AnswerScan } from '../api/answer-bounds.ts';
import { AppError } from '../shared/errors.ts';
import { parseExact } from '../shared/exact-json.ts';
import type { CommandContext } from './context.ts';
import { readStandardInput, readTextFile } from './given-text.ts';

/**
 * The value of `--body JSON|@FILE|FILE|-`; undefined if it is absent. Numbers are exact (RawNumber). Throws
 * INVALID_ARGUMENT or FILE_NOT_FOUND.
 */
export function readBody(context: CommandContext): Promise<unknown> {
  return readJsonOption(context, 'body');
}

/** Like `readBody`, for any option. */
export async function readJsonOption(context: CommandContext, option: string): Promise<unknown> {
  const source = context.args.text(option);
  if (source === null) return undefined;
  const text = await readSource(context, source, option);
  const beyond = new AnswerScan().add(Buffer.from(text));
  if (beyond !== null)
    throw new AppError('INVALID_ARGUMENT', `--${option} holds ${beyond}. Nothing was sent.`);
  try {
    return parseExact(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AppError('INVALID_ARGUMENT', `--${option} expects JSON: ${reason}.`, {}, thrown);
  }
}

/** Like `readBody`, but accepts only an object; null if it is absent. */
export async function readBodyObject(context: CommandContext): Promise<Record<string, unknown> | null> {
  const body = await readBody(context);
  if (body === undefined) return null;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return { ...body };
  throw new AppError('INVALID_ARGUMENT', '--body expects a JSON object, such as {"name": "…"}.');
}

async function readSource(context: CommandContext, source: string, option: string): Promise<string> {
  if (source === '-') return readStandardInput(context);
  if (/^\s*[[{"]/.test(source)) return source;
  const file = source.startsWith('@') ? source.slice(1) : source;
  return readTextFile(context, option, file);
}
