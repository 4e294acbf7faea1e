/** `budget`: what is left of each rate limit. `traffic`: the requests that were sent. Neither sends anything. */
import { resolve } from 'node:path';
import { systemClock } from '../platform/system.ts';
import { AppError } from '../shared/errors.ts';
import {
  type LaneStatus,
  type RequestLogRow,
  STATUS_CLASSES,
  type StatusClass,
  type WindowStatus,
} from '../shared/traffic-model.ts';
import type { CommandContext } from './context.ts';
import { table } from './output.ts';
import { localTimeText } from './start-time.ts';

const DEFAULT_ROWS = 50;
const PAGE_ROWS = 200;

/** The lanes as the window shows them; with --offline and without a token those that the budget file knows. */
export async function budget(context: CommandContext): Promise<void> {
  const session = await context.session();
  const overview = context.engine.traffic.lanes(session.connection.id);
  context.output.answer(overview, () =>
    table(overview.lanes.flatMap(laneRows), [
      'operation',
      'limit',
      'used',
      'left',
      'others',
      'free at',
      'queued',
      'state',
    ]),
  );
}

function laneRows(lane: LaneStatus): Record<string, unknown>[] {
  const { operation, queued, wait, learned } = lane;
  const until = wait.untilMs === null ? '' : ` until ${clockText(wait.untilMs)}`;
  const state = wait.why === 'ready' ? learned.source : `${wait.text.replace(/\.$/, '')}${until}`;
  const shared = { operation, queued, state };
  if (lane.windows.length === 0) return [{ ...shared, limit: lane.limitTitle }];
  return lane.windows.map((window) => ({
    ...shared,
    limit: limitText(window),
    used: window.used,
    left: window.left,
    others: window.foreign,
    'free at': window.resetsAtMs === null ? null : clockText(window.resetsAtMs),
  }));
}

function limitText({ count, lengthMs }: WindowStatus): string {
  const units: [number, string][] = [
    [86_400_000, 'day'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ];
  const [unitMs, unit] = units.find(([ms]) => lengthMs % ms === 0) ?? [1, 'ms'];
  return `${count} per ${lengthMs === unitMs ? '' : `${lengthMs / unitMs} `}${unit}`;
}

const DAY_MS = 86_400_000;

/** The time of day; with the day where it is not within hours. */
function clockText(ms: number): string {
  const text = localTimeText(ms);
  const seconds = String(new Date(ms).getSeconds()).padStart(2, '0');
  return ms - systemClock.nowMs() > DAY_MS / 2 ? text : `${text.slice(11)}:${seconds}`;
}

/** The log, newest first; or one request of it (--request, --curl), or all of it as an HTTP archive (--har). */
export async function traffic(context: CommandContext): Promise<void> {
  const { args, output } = context;
  const { requestLog } = await context.session();
  const requestId = args.text('request');
  const curlId = args.text('curl');
  const har = args.text('har');
  const filter = {
    operation: args.text('operation'),
    statusClass: statusClass(args.text('status')),
    text: args.text('search'),
  };
  if (requestId !== null) {
    const details = requestLog.request(requestId);
    output.answer(details, () => JSON.stringify(details, null, 2));
    return;
  }
  if (curlId !== null) {
    const { command, note } = requestLog.curl(curlId);
    if (note !== '') output.note(note);
    output.answer({ command, note }, () => command);
    return;
  }
  if (har !== null) {
    const path = resolve(har);
    const { entries } = await requestLog.writeHar(path, filter);
    output.answer({ entries, harFile: path }, () => `${entries} entries: ${path}`);
    return;
  }
  const wanted = args.isAll ? Number.POSITIVE_INFINITY : (args.wholeNumber('limit', 1) ?? DEFAULT_ROWS);
  const items: RequestLogRow[] = [];
  let total = 0;
  for (let beforeSeq: number | null = null; ; beforeSeq = items.at(-1)?.seq ?? null) {
    const limit = Math.min(PAGE_ROWS, wanted - items.length);
    const page = requestLog.list({ ...filter, limit, beforeSeq });
    total = page.matchingRows;
    items.push(...page.rows);
    if (page.rows.length < limit || items.length >= wanted) break;
  }
  output.answer({ items, total, complete: items.length === total, asOf: null }, () =>
    [table(items.map(logLine), LOG_FIELDS), `${items.length} of ${total}`].join('\n'),
  );
}

const LOG_FIELDS = ['at', 'status', 'url', 'attempts', 'waited', 'network', 'bytes', 'priority', 'id'];

function logLine(row: RequestLogRow): Record<string, unknown> {
  const seconds = String(new Date(row.atMs).getSeconds()).padStart(2, '0');
  return {
    at: `${localTimeText(row.atMs)}:${seconds}`,
    status: row.status ?? row.errorCode,
    url: `${row.operation.split(' ', 1)[0]} ${row.url}`,
    attempts: row.attempts,
    waited: `${row.queuedMs} ms`,
    network: `${row.networkMs} ms`,
    bytes: row.sizeBytes,
    priority: row.priority,
    id: row.id,
  };
}

function statusClass(text: string | null): StatusClass | null {
  if (text === null) return null;
  const found = STATUS_CLASSES.find((one) => one === text);
  if (found !== undefined) return found;
  throw new AppError('INVALID_ARGUMENT', `--status expects ${STATUS_CLASSES.join(', ')}, got ${text}.`);
}
