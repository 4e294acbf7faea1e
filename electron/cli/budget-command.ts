/** `budget`: the remaining part of each rate limit, across all processes. Sends nothing. */

import { systemClock } from '../platform/system.ts';
import { AppError } from '../shared/errors.ts';
import { localTimeText } from '../shared/local-time.ts';
import type { LaneOverview, LaneStatus, LearnedLimits } from '../shared/traffic-model.ts';
import type { CommandContext } from './context.ts';
import { withFormerKeys } from './former-keys.ts';
import { counted, readable } from './human-text.ts';
import { table } from './output.ts';
import { limitText } from './start-time.ts';
import { didYouMean } from './suggestions.ts';
import { createWaiter } from './waiter.ts';

const FIELDS = ['operation', 'limit', 'used', 'left', 'others', 'next free', 'under way'];
const WIDEST = 200;
const WATCH_EVERY_MS = 2_000;
const DAY_MS = 86_400_000;

/**
 * Prints the lanes as the window shows them, optionally only those whose operation contains a word. With --offline and
 * without a token, prints those in the budget file. A person sees only lanes in use, unless --all or a word is given.
 */
export async function budget(context: CommandContext): Promise<void> {
  const { args, output, engine } = context;
  const { connection } = await context.session();
  const operation = args.text('forget');
  const word = args.positionals[0] ?? null;
  const textOf = (overview: LaneOverview) => budgetText(overview, args.isAll || word !== null);
  if (operation !== null) {
    const ignored = args.flag('watch') ? '--watch' : word;
    if (ignored !== null)
      throw new AppError(
        'INVALID_ARGUMENT',
        `budget --forget takes no ${ignored}: it changes the limit of one operation. Nothing was changed.`,
      );
    const overview = engine.traffic.forget(connection.id, operation);
    output.answer(withFormerKeys(overview), () => textOf(overview));
    return;
  }
  const lanes = () => withWord(engine.traffic.lanes(connection.id), word);
  if (args.flag('watch')) return watch(context, lanes, textOf);
  const overview = lanes();
  output.answer(withFormerKeys(overview), () => textOf(overview));
}

/** Only lanes whose operation contains the word. Throws NOT_FOUND if there is none. */
function withWord(overview: LaneOverview, word: string | null): LaneOverview {
  if (word === null) return overview;
  const wanted = word.toLowerCase();
  const lanes = overview.lanes.filter(({ operation, title, limitTitle }) =>
    [operation, title, limitTitle].some((text) => text.toLowerCase().includes(wanted)),
  );
  if (lanes.length > 0) return { ...overview, lanes };
  throw new AppError(
    'NOT_FOUND',
    `No operation with “${word}” in its name. Run budget --all for all of them.`,
  );
}

/** Prints again on every change until Ctrl-C: one line of JSON, or the whole table. */
async function watch(
  context: CommandContext,
  lanes: () => LaneOverview,
  textOf: (overview: LaneOverview) => string,
): Promise<void> {
  const { args, output, signal } = context;
  const waiter = createWaiter(signal);
  let shown = '';
  while (!signal.aborted) {
    const overview = lanes();
    const text = args.isJson ? JSON.stringify(overview) : textOf(overview);
    if (text !== shown) {
      shown = text;
      if (args.isJson) output.line(withFormerKeys(overview));
      else output.answer(withFormerKeys(overview), () => `${clockText(systemClock.nowMs())}\n${text}\n`);
    }
    const stop = systemClock.setTimer(waiter.wake, WATCH_EVERY_MS);
    await waiter.next();
    stop();
  }
  waiter.end();
}

/**
 * Whether a lane was used, has waiting requests, was reduced after refusals, or has a limit small enough to last a day.
 */
function isInUse({ windows, inFlight, queued, retrying, wait, learned }: LaneStatus): boolean {
  return (
    inFlight + queued + retrying > 0 ||
    wait.reason !== 'ready' ||
    learned.factor < 1 ||
    windows.some(({ used, foreign, lengthMs }) => used + foreign > 0 || lengthMs >= DAY_MS)
  );
}

export function budgetText({ lanes, isAllPaused }: LaneOverview, isWhole: boolean): string {
  if (lanes.length === 0) return 'No limit was used yet on this connection.';
  const shown = isWhole ? lanes : lanes.filter(isInUse);
  const left = lanes.length - shown.length;
  return [
    ...(shown.length === 0 ? [] : tableOf(shown)),
    ...(left === 0
      ? []
      : [`Not in use: ${counted(left, 'more operation')}. Run budget --all for all of them.`]),
    ...(isAllPaused ? ['All requests are paused.'] : []),
  ].join('\n');
}

function tableOf(lanes: readonly LaneStatus[]): string[] {
  const rows = lanes.flatMap(laneRows);
  const [head = '', ...lines] = table(rows.map(readable), FIELDS, WIDEST).split('\n');
  const width = Math.max(head.length, ...lines.map((line) => line.length)) + 2;
  return [
    `${head.padEnd(width)}state`,
    ...lines.map((line, at) => `${line.padEnd(width)}${rows[at]?.['state'] ?? ''}`.trimEnd()),
  ];
}

function laneRows(lane: LaneStatus): Record<string, unknown>[] {
  const { operation, inFlight } = lane;
  const first = { operation, 'under way': inFlight, state: stateText(lane) };
  if (lane.windows.length === 0) return [{ ...first, limit: lane.limitTitle }];
  return lane.windows.map((window, at) => ({
    ...(at === 0 ? first : { operation, 'under way': inFlight, state: '' }),
    limit: limitText(window),
    used: window.used,
    left: window.left,
    others: window.foreign,
    'next free': window.resetsAtMs === null ? null : clockText(window.resetsAtMs),
  }));
}

/** The reason why the lane is waiting, and the source of its limits. */
function stateText({ wait, learned }: LaneStatus): string {
  const until = wait.untilMs === null ? '' : ` Next ${clockText(wait.untilMs)}.`;
  const reason = wait.reason === 'ready' ? '' : `${wait.text}${until}`;
  return [reason, learnedText(learned)].filter((part) => part !== '').join(' ');
}

function learnedText({
  source,
  policy,
  factor,
  refusals,
  inFlightLimit,
  changedAtMs,
}: LearnedLimits): string {
  const since = changedAtMs === null ? '' : ` since ${clockText(changedAtMs)}`;
  const share = factor === 1 ? '' : `, ${Math.round(factor * 100)} % of it after ${refusals} refusals`;
  switch (source) {
    case 'published':
      return factor === 1 ? 'published' : `published${share}${since}`;
    case 'stated':
      return `stated by the service: ${policy ?? ''}${share}${since}`;
    case 'off':
      return `limiting is switched off${since}`;
    case 'adapting':
      return `limit unknown, adapting${inFlightLimit === null ? '' : `, ${inFlightLimit} at once`}${since}`;
  }
}

/** The time of day, with the date if the time is not within hours. */
function clockText(ms: number): string {
  const text = localTimeText(ms);
  const seconds = String(new Date(ms).getSeconds()).padStart(2, '0');
  return Math.abs(ms - systemClock.nowMs()) > DAY_MS / 2 ? text : `${text.slice(11)}:${seconds}`;
}

/** The option's value, which must be one of `words`; null if the option is absent. Throws INVALID_ARGUMENT. */
export function oneOf<T extends string>(words: readonly T[], text: string | null, option: string): T | null {
  if (text === null) return null;
  const found = words.find((one) => one === text);
  if (found !== undefined) return found;
  throw new AppError(
    'INVALID_ARGUMENT',
    `--${option} expects ${words.join(', ')}, got ${text}.${didYouMean(text, words)}`,
  );
}
