/** The latest alerts of the last 7 days. If they cannot be read, those of the latest 7 days with stored content. */
import { untrack } from 'svelte';
import type { TimeRange } from '../../../electron/shared/model.ts';
import { presetRange } from '../../lib/monitoring/alert-range.ts';
import { clock } from '../../state/clock.svelte.ts';
import type { RuleSummaries } from '../../state/rule-summaries.svelte.ts';

const WEEK_MS = 7 * 86_400_000;

interface LastWeek {
  /** The earlier range whose alerts are shown; null if the shown range ends now. Reactive. */
  readonly earlier: TimeRange | null;
  /** Whether no alerts are stored for the last 7 days. Reactive. */
  readonly isNotStored: boolean;
  /** Asks the service for the last 7 days, even while an earlier range is shown. */
  refresh: () => Promise<void>;
}

/** Opens the summaries and keeps all their rows loaded. Must be called during component initialization. */
export function followLastWeek(summaries: RuleSummaries): LastWeek {
  const { list } = summaries;
  const day = $derived(presetRange('7d', clock.nowMs).endMs);
  const isNotStored = $derived(
    list.freshness?.source === 'none' && list.freshness.refresh.phase === 'failed',
  );
  /** The latest stored 7 days, if nothing is stored for the last 7 days. */
  const stored = $derived(isNotStored ? list.freshness?.storedRange : undefined);
  let back = $state.raw<{ day: number; range: TimeRange } | null>(null);
  const earlier = $derived(back?.day === day ? back.range : null);
  $effect(() => {
    void day;
    untrack(() => void summaries.open(earlier ?? presetRange('7d', clock.nowMs)));
  });
  $effect(() => {
    if (stored === undefined || stored.endMs - stored.startMs !== WEEK_MS) return;
    const range = stored;
    untrack(() => {
      if (earlier !== null) return;
      back = { day, range };
      void summaries.open(range, 'always');
    });
  });
  summaries.keepRead();
  return {
    refresh() {
      if (earlier === null) return list.refresh();
      back = null;
      return summaries.open(presetRange('7d', clock.nowMs), 'always');
    },
    get earlier() {
      return earlier;
    },
    get isNotStored() {
      return isNotStored;
    },
  };
}
