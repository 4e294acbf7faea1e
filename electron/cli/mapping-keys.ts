/**
 * Checks before anything is sent that the keys of a mapping occur in spans, because the service would create items
 * without these fields.
 */
import { isoOf, startMsOf } from '../core/spans/call-range.ts';
import { holdsKey } from '../core/spans/span-mapping.ts';
import type { Session } from '../engine/session.ts';
import type { DatasetBuild } from '../shared/dataset-model.ts';
import { AppError, toAppError } from '../shared/errors.ts';
import type { CommandContext } from './context.ts';
import { nameList } from './human-text.ts';
import { readRecord } from './read-library.ts';
import { didYouMean } from './suggestions.ts';

export const SKIP_KEYS = 'skip-missing-keys';
const MARGIN_MS = 60_000;
/** Separators of the words of a key. Keys are long, and people remember their last words. */
const PARTS = /[._-]/;

interface Keys {
  names: ReadonlySet<string>;
  /** Other spans may have further keys. */
  isSample: boolean;
}

/**
 * Throws INVALID_ARGUMENT with similar keys if no span has a key of the mapping; does nothing with --skip-missing-keys.
 */
export async function checkKeys(context: CommandContext, session: Session, buildId: string): Promise<void> {
  if (context.args.flag(SKIP_KEYS)) return;
  const build = session.datasets.builds.get(buildId);
  if (build.problems.length > 0) return;
  const keys = await keysOf(context, session, build).catch((thrown: unknown) => {
    const { code, message } = toAppError(thrown);
    if (code === 'CANCELLED') throw thrown;
    context.output.note(`The keys of the mapping were not compared with those of the spans: ${message}`);
    return null;
  });
  if (keys === null) return;
  const missing = [...new Set(build.mapping.map(({ key }) => key))].filter(
    (key) => !holdsKey(keys.names, key),
  );
  if (missing.length === 0) return;
  const known = [...keys.names].toSorted();
  const hints = missing.map((key) => nearKeys(key, known)).join('');
  const text = `No span has ${missing.join(', ')}.${hints} ${known.length === 0 ? 'The spans have no keys.' : `Keys are ${nameList(known)}.`}`;
  if (keys.isSample) return context.output.note(`Among the spans that the service looked at: ${text}`);
  throw new AppError('INVALID_ARGUMENT', `Nothing was sent. ${text}`, {
    nextStep: `Correct the mapping, or add --${SKIP_KEYS} to make items without these fields.`,
  });
}

/** Keys of the picked spans; if only ids of these are known, keys of all spans in their time range. */
async function keysOf(context: CommandContext, session: Session, build: DatasetBuild): Promise<Keys | null> {
  const { buildId, counts, applicationId } = build;
  const names = new Set<string>();
  const { builds } = session.datasets;
  const { total } = builds.listKeys(buildId, { search: '', offset: 0, limit: 1 });
  for (const { key } of builds.listKeys(buildId, { search: '', offset: 0, limit: total }).keys)
    names.add(key);
  if (counts.withoutRecord === 0) return { names, isSample: false };
  const range = rangeOf(build);
  if (range === null) return null;
  const body = { application_id: applicationId, ...range };
  const { record } = await readRecord(context, { operation: 'spans.fields', path: {}, query: {}, body });
  const attributes = record['span_attributes'];
  for (const attribute of Array.isArray(attributes) ? attributes : []) {
    const key: unknown = Object(attribute).key;
    if (typeof key === 'string') names.add(key);
  }
  return { names, isSample: record['sampled'] === true };
}

function rangeOf({ timeRange, spanRange }: DatasetBuild): { start_time: string; end_time: string } | null {
  if (timeRange !== null) return { start_time: timeRange.startTime, end_time: timeRange.endTime };
  const [from, to] = [startMsOf(spanRange?.startTime), startMsOf(spanRange?.endTime)];
  if (from === null || to === null) return null;
  return { start_time: isoOf(from - MARGIN_MS), end_time: isoOf(to + MARGIN_MS) };
}

/**
 * A suggestion ` Did you mean …?`, or empty. Keys with all words of the typed one come before keys with similar
 * letters.
 */
function nearKeys(typed: string, known: readonly string[]): string {
  const words = typed.toLowerCase().split(PARTS);
  const holding = known.filter((key) => {
    const parts = key.toLowerCase().split(PARTS);
    return words.every((word) => parts.includes(word));
  });
  const found = holding.slice(0, 3);
  return found.length === 0 ? didYouMean(typed, known) : ` Did you mean ${found.join(' or ')}?`;
}
