/** Finds the first and the last event time of a file, in the form used in the file. */
import type { EventTimes } from '../../core/jobs/undo.ts';
import type { ModelFacts } from '../../shared/upload-columns.ts';
import type { UploadPlan } from '../../shared/upload-model.ts';
import { isoTime } from '../../shared/zone-time.ts';
import { checkSameState, type FileState } from '../file-state.ts';
import { openSource } from '../readers/open-source.ts';
import { EventReader } from './event-reader.ts';

interface TimesOptions {
  path: string;
  plan: UploadPlan;
  model: ModelFacts;
  state: FileState;
}

const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)?(?:Z|[+-]\d{2}:?\d{2})?$/;
/** Larger numbers are milliseconds since 1970; smaller ones are seconds. */
const MAX_SECONDS = 99_999_999_999;

/** Null if there is no time, or if one cannot be read with certainty. Throws FILE_CHANGED, and read errors. */
export async function eventTimes({ path, plan, model, state }: TimesOptions): Promise<EventTimes | null> {
  const column = model.eventTsColumn;
  const isOtherOrder = model.eventTsFormat !== null && !model.eventTsFormat.startsWith('%Y-%m-%d');
  if (column === null || isOtherOrder) return null;
  await checkSameState(path, state);
  const source = await openSource(path, plan.dialect);
  try {
    // Times of rows that are bad because of other columns are included too, because they can only widen the range.
    const columns = plan.columns.map((each) => (each.target === column ? each : { ...each, target: null }));
    const constants = (plan.constants ?? []).filter(({ target }) => target === column);
    const reading = { ...plan, columns, constants };
    const options = { path, plan: reading, model, start: source.dataStart, onBytes: () => undefined };
    const reader = new EventReader(source, options);
    let [fromMs, toMs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    while ((await reader.next()) !== null) {
      const { events } = reader;
      for (let at = 0; at < events.count; at += 1) {
        const event: unknown = JSON.parse(events.jsonOf(at, at + 1).toString());
        const ms = instantOf(Reflect.get(Object(event), column));
        if (ms === null) return null;
        fromMs = Math.min(fromMs, ms);
        toMs = Math.max(toMs, ms);
      }
    }
    await checkSameState(path, state);
    return fromMs <= toMs ? { fromMs, toMs } : null;
  } finally {
    await source.close();
  }
}

function instantOf(value: unknown): number | null {
  if (typeof value === 'number') return Math.abs(value) <= MAX_SECONDS ? value * 1_000 : value;
  if (typeof value !== 'string' || !ISO.test(value)) return null;
  return isoTime(value);
}
