/** The description of a chart for screen readers. */
import { describeChart } from './summary.ts';

type Described = Parameters<typeof describeChart>[0];

const REST_MS = 80;

/**
 * Updates the description when the chart is idle: describing thousands of values takes too long for the frame that
 * draws them. `isBehind`: the text describes earlier data. Must be called during component initialization.
 */
export function describedWhenIdle(
  read: () => Described | null,
  emptyText: () => string,
): { readonly text: string; readonly isBehind: boolean } {
  let text = $state('');
  const chart = $derived(read());
  /** The data that the text describes. */
  let told: Described | null | undefined = $state.raw();
  $effect(() => {
    const now = chart;
    const empty = emptyText();
    const timer = setTimeout(() => {
      text = now === null ? empty : describeChart(now);
      told = now;
    }, REST_MS);
    return () => clearTimeout(timer);
  });
  return {
    get text() {
      return text;
    },
    get isBehind() {
      return told !== chart;
    },
  };
}
