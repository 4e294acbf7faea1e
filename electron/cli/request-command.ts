import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { Method } from '../api/endpoints.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { CommandContext } from './context.ts';

const METHODS: readonly string[] = ['GET', 'POST', 'PATCH', 'DELETE'];
/** Requests handed to the scheduler ahead of their answers when paths come from standard input. */
const AHEAD = 200;

/** `request METHOD PATH [--query k=v] [--body FILE|-]`, or `request GET -` with one path a line on standard input. */
export async function request(context: CommandContext): Promise<void> {
  const [methodText = '', path = ''] = context.args.positionals;
  const method = methodText.toUpperCase();
  if (!isMethod(method) || path === '') {
    throw new AppError(
      'INVALID_ARGUMENT',
      'request expects METHOD (GET, POST, PATCH or DELETE) and a PATH such as /v3/applications.',
    );
  }
  if (path === '-') return requestLines(context, method);
  const session = await context.session();
  const { path: bare, query } = splitPath(path);
  const answer = await session.client.request(
    { method, path: bare, query: { ...query, ...readQuery(context) }, body: await readBody(context) },
    { priority: 'click', signal: context.signal },
  );
  context.output.answer({ status: answer.status, body: answer.body }, () =>
    typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body, null, 2),
  );
  if (answer.status >= 400) process.exitCode = 1;
}

/** One JSON line for each answer, in the order the answers come; `line` is the 1-based line of the path. */
async function requestLines(context: CommandContext, method: Method): Promise<void> {
  if (method !== 'GET')
    throw new AppError('INVALID_ARGUMENT', 'Paths from standard input are read with GET only.');
  const session = await context.session();
  const waiting = new Set<Promise<void>>();
  let line = 0;
  let failed = 0;
  for await (const text of createInterface({ input: process.stdin })) {
    line += 1;
    const typed = text.trim();
    if (typed === '') continue;
    if (context.signal.aborted) break;
    const one = send(context, session, { line, path: typed }).then((isGood) => {
      if (!isGood) failed += 1;
      waiting.delete(one);
    });
    waiting.add(one);
    if (waiting.size >= AHEAD) await Promise.race(waiting);
  }
  await Promise.all(waiting);
  if (failed > 0) process.exitCode = 1;
}

async function send(
  context: CommandContext,
  session: Awaited<ReturnType<CommandContext['session']>>,
  { line, path }: { line: number; path: string },
): Promise<boolean> {
  try {
    const parts = splitPath(path);
    const answer = await session.client.request(
      { method: 'GET', path: parts.path, query: parts.query },
      { priority: 'upload', signal: context.signal },
    );
    context.output.line({ line, path, status: answer.status, body: answer.body });
    return answer.status < 400;
  } catch (thrown) {
    const error = toAppError(thrown);
    context.output.line({
      line,
      path,
      status: error.details.status ?? null,
      error: { code: error.code, message: error.message },
    });
    return false;
  }
}

function isMethod(text: string): text is Method {
  return METHODS.includes(text);
}

function splitPath(path: string): { path: string; query: Record<string, string> } {
  const [bare = '', search = ''] = path.split('?', 2);
  return { path: bare, query: Object.fromEntries(new URLSearchParams(search)) };
}

function readQuery(context: CommandContext): Record<string, string> {
  return Object.fromEntries(
    context.args.texts('query').map((pair) => {
      const split = pair.indexOf('=');
      if (split > 0) return [pair.slice(0, split), pair.slice(split + 1)];
      throw new AppError('INVALID_ARGUMENT', `--query expects name=value, got ${pair}.`);
    }),
  );
}

async function readBody(context: CommandContext): Promise<unknown> {
  const source = context.args.text('body');
  if (source === null) return undefined;
  const text = source === '-' ? await readStandardInput() : await readFileText(source);
  try {
    return JSON.parse(text);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AppError('INVALID_ARGUMENT', `--body expects JSON: ${reason}.`, {}, thrown);
  }
}

async function readFileText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw new AppError('FILE_NOT_FOUND', `--body names ${file}, which cannot be read.`, {}, thrown);
  }
}

async function readStandardInput(): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of process.stdin) parts.push(Buffer.from(part));
  return Buffer.concat(parts).toString('utf8');
}
