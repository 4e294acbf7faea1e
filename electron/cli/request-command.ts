import { createInterface } from 'node:readline';
import { endpoint, type Method, OPERATION_IDS } from '../api/endpoints.ts';
import { issueOf } from '../api/envelope.ts';
import { statusError } from '../api/http-errors.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import { commandLineOf } from './command-line-of.ts';
import type { CommandContext } from './context.ts';
import { counted } from './human-text.ts';
import { readBody } from './json-argument.ts';
import { table } from './output.ts';
import { jsonText } from './terminal-text.ts';
import { UnreadAnswers } from './unread-answers.ts';

const METHODS: readonly string[] = ['GET', 'POST', 'PATCH', 'DELETE'];

/** Maximum requests that were passed to the scheduler and not yet answered, if paths come from standard input. */
const AHEAD = 200;

/**
 * `request METHOD PATH [--query k=v] [--body FILE|-]`, or `request GET -` with one path in each line of standard input.
 */
export async function request(context: CommandContext): Promise<void> {
  if (context.args.flag('list')) return listOperations(context);
  const [methodText = '', path = ''] = context.args.positionals;
  const method = methodText.toUpperCase();
  if (!isMethod(method) || path === '') {
    throw new AppError(
      'INVALID_ARGUMENT',
      'request expects METHOD (GET, POST, PATCH or DELETE) and a PATH such as /v3/applications.',
    );
  }
  if (path === '-') return requestLines(context, method);
  const { path: bare, query } = splitPath(path);
  if (method === 'DELETE' && !context.args.flag('yes')) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `Nothing was sent. DELETE ${bare} deletes at the service without a further question: add --yes to send it.`,
    );
  }
  const session = await context.session();
  const answer = await session.client.request(
    { method, path: bare, query: readQuery(context, query), body: await readBody(context) },
    { priority: 'click', signal: context.signal },
  );
  context.output.answer({ status: answer.status, body: answer.body }, () =>
    typeof answer.body === 'string' ? answer.body : jsonText(answer.body, 2),
  );
  if (answer.status >= 300)
    throw statusError(answer.status, `${method} ${bare}`, issueOf(JSON.stringify(answer.body)));
}

/** `request --list`: prints every operation of the endpoint table. */
function listOperations(context: CommandContext): void {
  const operations = OPERATION_IDS.map((id) => {
    const { method, path, title, isWrite } = endpoint(id);
    return { operation: id, method, path, title, isWrite, command: commandLineOf(id) };
  });
  context.output.answer({ operations }, () => table(operations, ['method', 'path', 'title', 'command']));
}

/** Prints one JSON line for each answer, in the order of arrival; `line` is the number of the path's line, from 1. */
async function requestLines(context: CommandContext, method: Method): Promise<void> {
  if (method !== 'GET')
    throw new AppError('INVALID_ARGUMENT', 'Paths from standard input are read with GET only.');
  const extra = ['query', 'body'].find((name) => context.args.given.includes(name));
  if (extra !== undefined)
    throw new AppError(
      'INVALID_ARGUMENT',
      `request GET - takes no --${extra}: each path has its own query, such as /v3/models?limit=5.`,
    );
  const session = await context.session();
  const waiting = new Set<Promise<void>>();
  let line = 0;
  let failed = 0;
  for await (const text of createInterface({ input: context.stdin, signal: context.signal })) {
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
  if (context.signal.aborted)
    throw new UnreadAnswers('CANCELLED', 'Stopped. Paths without a line were not requested.');
  if (failed > 0)
    throw new AppError('HTTP_ERROR', `${counted(failed, 'request')} failed; each line gives the reason.`);
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
    return answer.status < 300;
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

/**
 * Path and query of a typed path. Throws INVALID_ARGUMENT if a name is repeated, because one of its values would be
 * lost.
 */
function splitPath(path: string): { path: string; query: Record<string, string> } {
  const start = path.indexOf('?');
  if (start < 0) return { path, query: {} };
  return { path: path.slice(0, start), query: uniquePairs([...new URLSearchParams(path.slice(start + 1))]) };
}

function readQuery(context: CommandContext, known: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = context.args.texts('query').map((pair): [string, string] => {
    const split = pair.indexOf('=');
    if (split > 0) return [pair.slice(0, split), pair.slice(split + 1)];
    throw new AppError('INVALID_ARGUMENT', `--query expects name=value, got ${pair}.`);
  });
  return uniquePairs([...Object.entries(known), ...pairs]);
}

function uniquePairs(pairs: readonly [string, string][]): Record<string, string> {
  const twice = pairs.find(([name], index) => pairs.findIndex(([other]) => other === name) !== index);
  if (twice !== undefined) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `The query has ${twice[0]} twice. Several values of one name are separated by commas.`,
    );
  }
  return Object.fromEntries(pairs);
}
