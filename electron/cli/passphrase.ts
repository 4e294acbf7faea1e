/**
 * Reads the passphrase of a pack from SPANDECK_PASSPHRASE, from a terminal without echo, or from the first line of
 * standard input. It is never an argument.
 */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { AppError } from '../shared/errors.ts';
import type { CommandContext } from './context.ts';

const MAX_CHARS = 1_000;

interface Terminal extends Readable {
  isTTY?: boolean;
  setRawMode?(isRaw: boolean): void;
}

/**
 * Asks for the passphrase. `isNew`: it must be typed twice at a terminal. Throws INVALID_ARGUMENT if there is none, or
 * if the two differ.
 */
export async function askPassphrase(
  { env, stdin, output, signal }: Pick<CommandContext, 'env' | 'stdin' | 'output' | 'signal'>,
  isNew: boolean,
): Promise<string> {
  const given = env['SPANDECK_PASSPHRASE'];
  if (given !== undefined && given !== '') return given;
  const terminal: Terminal = stdin;
  if (terminal.isTTY !== true) return firstLine(stdin, signal);
  const typed = await typeUnseen(terminal, output.note, 'Passphrase (not shown):');
  if (isNew && (await typeUnseen(terminal, output.note, 'Passphrase again: ')) !== typed) {
    throw new AppError('INVALID_ARGUMENT', 'The two passphrases differ. Nothing was written.');
  }
  return checked(typed);
}

const stopped = () => new AppError('CANCELLED', 'Cancelled. Nothing was written or opened.');

async function firstLine(stdin: Readable, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: stdin, signal });
  for await (const line of lines) return checked(line);
  if (signal.aborted) throw stopped();
  return checked('');
}

function checked(text: string): string {
  if (text !== '' && text.length <= MAX_CHARS) return text;
  throw new AppError(
    'INVALID_ARGUMENT',
    text === ''
      ? 'A passphrase was expected. Set SPANDECK_PASSPHRASE, or give it as the first line of standard input.'
      : `A passphrase of at most ${MAX_CHARS} characters was expected, got ${text.length}.`,
  );
}

function typeUnseen(terminal: Terminal, note: (text: string) => void, question: string): Promise<string> {
  note(question);
  terminal.setRawMode?.(true);
  return new Promise((resolve, reject) => {
    let text = '';
    const end = (settle: () => void) => {
      terminal.off('data', take);
      terminal.setRawMode?.(false);
      terminal.pause();
      settle();
    };
    const take = (bytes: Buffer) => {
      for (const sign of bytes.toString('utf8')) {
        if (sign === '\r' || sign === '\n') return end(() => resolve(text));
        if (sign === '\u0003' || sign === '\u0004') {
          return end(() => reject(stopped()));
        }
        text = sign === '\u007f' || sign === '\b' ? [...text].slice(0, -1).join('') : text + sign;
      }
    };
    terminal.on('data', take);
    terminal.resume();
  });
}
