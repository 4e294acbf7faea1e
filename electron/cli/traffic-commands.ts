/** `traffic`: prints sent requests from the log. Sends nothing. */
import { resolve } from 'node:path';
import type { LogFilter } from '../db/request-log-store.ts';
import type { RequestLog } from '../engine/request-log.ts';
import { AppError } from '../shared/errors.ts';
import { localTimeText } from '../shared/local-time.ts';
import {
  LOG_SORTS,
  type LogSort,
  PRIORITIES,
  type RequestLogRow,
  SHELLS,
  STATUS_CLASSES,
} from '../shared/traffic-model.ts';
import type { Arguments } from './arguments.ts';
import { oneOf } from './budget-command.ts';
import { checkForgetting } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { counted, numberText } from './human-text.ts';
import { table } from './output.ts';
import { jsonText } from './terminal-text.ts';

const DEFAULT_ROWS = 50;
const PAGE_ROWS = 200;
/** Wide, because an address or id is useful only if it is complete. */
const WIDEST = 300;

const FILTERS = ['operation', 'method', 'priority', 'status', 'search'];
/** Options that do something else than list requests, each with the options that apply to it. */
const MODES: Readonly<Record<string, readonly string[]>> = {
  request: [],
  curl: ['shell'],
  har: FILTERS,
  clear: ['yes'],
};
const OF_LIST = [...FILTERS, 'sort', 'limit'];

/** Throws INVALID_ARGUMENT for an option that would be ignored: --clear forgets the whole log, whatever the filter is. */
function checkOptions({ given }: Arguments): void {
  const mode = Object.keys(MODES).find((name) => given.includes(name));
  const taken = mode === undefined ? OF_LIST : [mode, ...(MODES[mode] ?? [])];
  const extra = given.find((name) => !taken.includes(name));
  if (extra === undefined) return;
  const said = mode === undefined ? 'traffic' : `traffic --${mode}`;
  const whole = mode === 'clear' ? ' It forgets all requests of this connection.' : '';
  throw new AppError('INVALID_ARGUMENT', `${said} takes no --${extra}.${whole}`);
}

/**
 * Prints the log, newest first or sorted, or one request (--request, --curl); writes it as an HTTP archive (--har); or
 * clears it (--clear).
 */
export async function traffic(context: CommandContext): Promise<void> {
  const { args, output } = context;
  checkOptions(args);
  const { requestLog } = await context.session();
  const requestId = args.text('request');
  const curlId = args.text('curl');
  const har = args.text('har');
  if (requestId !== null) {
    const details = requestLog.request(requestId);
    output.answer(details, () => jsonText(details, 2));
    return;
  }
  if (curlId !== null) {
    const shell = oneOf(SHELLS, args.text('shell'), 'shell');
    const { command, note } = requestLog.curl(curlId, shell);
    if (note !== '') output.note(note);
    output.answer({ command, note }, () => command);
    return;
  }
  const filter = filterOf(args);
  if (har !== null) {
    const path = resolve(har);
    const { entries } = await requestLog.writeHar(path, filter);
    output.answer({ entries, harFile: path }, () => `${counted(entries, 'request')}: ${path}`);
    return;
  }
  if (args.flag('clear')) {
    checkForgetting(context, 'the log of the requests of this connection');
    const cleared = requestLog.clear();
    output.answer({ cleared }, () => `${counted(cleared, 'request')} forgotten`);
    return;
  }
  list(context, requestLog, filter);
}

function list({ args, output }: CommandContext, requestLog: RequestLog, filter: LogFilter): void {
  const sort = sortOf(args.text('sort'));
  const wanted = args.isAll ? Number.POSITIVE_INFINITY : (args.wholeNumber('limit', 1) ?? DEFAULT_ROWS);
  const items: RequestLogRow[] = [];
  let total = 0;
  for (let beforeSeq: number | null = null; ; beforeSeq = items.at(-1)?.seq ?? null) {
    const limit = Math.min(PAGE_ROWS, wanted - items.length);
    const page = requestLog.list({ ...filter, sort, limit, beforeSeq });
    total = page.matchingRows;
    items.push(...page.rows);
    if (page.rows.length < limit || items.length >= wanted) break;
  }
  output.answer({ items, total, complete: items.length === total, asOf: null }, () =>
    items.length === 0
      ? 'No logged request matches.'
      : [
          table(items.map(logLine), LOG_FIELDS, WIDEST),
          `${numberText(items.length)} of ${numberText(total)}`,
        ].join('\n'),
  );
}

function filterOf(args: Arguments): LogFilter {
  return {
    operation: args.text('operation'),
    method: methodOf(args.text('method')),
    priority: oneOf(PRIORITIES, args.text('priority'), 'priority'),
    statusClass: oneOf(STATUS_CLASSES, args.text('status'), 'status'),
    text: args.text('search'),
  };
}

function methodOf(text: string | null): string | null {
  if (text === null) return null;
  if (/^[a-z]+$/i.test(text)) return text.toUpperCase();
  throw new AppError('INVALID_ARGUMENT', `--method expects a method such as GET or POST, got ${text}.`);
}

/** Parses a sort: `networkMs` puts the longest first, `networkMs:asc` the shortest. */
function sortOf(text: string | null): LogSort | null {
  if (text === null) return null;
  const [name = '', direction = 'desc'] = text.split(':', 2);
  const field = oneOf(LOG_SORTS, name, 'sort');
  if (field === null) return null;
  return { field, isDescending: oneOf(['asc', 'desc'] as const, direction, 'sort FIELD:') !== 'asc' };
}

const LOG_FIELDS = ['at', 'status', 'request', 'attempts', 'waited', 'network', 'bytes', 'for', 'id'];

function logLine(row: RequestLogRow): Record<string, unknown> {
  const seconds = String(new Date(row.atMs).getSeconds()).padStart(2, '0');
  return {
    at: `${localTimeText(row.atMs)}:${seconds}`,
    status: row.status ?? row.errorCode,
    request: `${row.operation.split(' ', 1)[0]} ${row.url}`,
    attempts: row.attempts,
    waited: `${numberText(row.queuedMs)} ms`,
    network: `${numberText(row.networkMs)} ms`,
    bytes: numberText(row.sizeBytes),
    for: row.priority,
    id: row.id,
  };
}
