/** JSON that is given on the command line, in a file or on standard input. */
import { readFile } from 'node:fs/promises';
import { AppError } from '../shared/errors.ts';
import type { CommandContext } from './context.ts';

/** `--body JSON|@FILE|FILE|-`; undefined where it is absent. Throws INVALID_ARGUMENT or FILE_NOT_FOUND. */
export function readBody(context: CommandContext): Promise<unknown> {
  return readJsonOption(context, 'body');
}

/** The same for any option. */
export async function readJsonOption(context: CommandContext, option: string): Promise<unknown> {
  const source = context.args.text(option);
  if (source === null) return undefined;
  const text = await readSource(context, source, option);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AppError('INVALID_ARGUMENT', `--${option} expects JSON: ${reason}.`, {}, thrown);
  }
}

/** The same, where nothing but an object will do. Null where it is absent. */
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
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new AppError('FILE_NOT_FOUND', `--${option} names ${file}, which cannot be read.`, {}, thrown);
  }
}

export async function readStandardInput({ stdin }: CommandContext): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
