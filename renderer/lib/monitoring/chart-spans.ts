/** The spans behind a chart point or an alert record: those of its application within the bin. Pure. */
import type { RuleParts } from '../../../electron/shared/alert-rule.ts';
import type { Subject } from '../../../electron/shared/chart-query.ts';
import type { SpanRange } from '../span-range.ts';
import { binEnd } from './alert-history.ts';

type SpansOfPoint = { isOk: true; applicationId: string; range: SpanRange } | { isOk: false; reason: string };

/**
 * `series`: the drawn series with ascending bin starts; `atMs`: one of the starts. A bin lasts until the next one; the
 * last bin is as long as the one before it. Returns the reason if the spans cannot be determined.
 */
export function spansOfPoint(
  subject: Subject,
  series: readonly { times: readonly number[] }[],
  atMs: number,
): SpansOfPoint {
  if (subject.kind === 'model')
    return {
      isOk: false,
      reason: 'Values of a model come from events, so there are no spans to show.',
    };
  const times = [...new Set(series.flatMap((each) => each.times))].sort((a, b) => a - b);
  const at = times.indexOf(atMs);
  const next = times[at + 1];
  const before = times[at - 1];
  const endMs = next ?? (before === undefined ? undefined : atMs + (atMs - before));
  if (at === -1 || endMs === undefined || subject.applicationId === '')
    return { isOk: false, reason: 'The chart has one point only: how long its bin lasts is not known.' };
  return { isOk: true, applicationId: subject.applicationId, range: { id: 'custom', startMs: atMs, endMs } };
}

/** Spans of one bin of an alert rule; null if the rule watches no application, or the time of the bin is unknown. */
export function spansOfBin(
  { applicationId, binSize }: Pick<RuleParts, 'applicationId' | 'binSize'>,
  atMs: number | null,
): { applicationId: string; range: SpanRange } | null {
  if (applicationId === '' || atMs === null) return null;
  return { applicationId, range: { id: 'custom', startMs: atMs, endMs: binEnd(atMs, binSize) } };
}
