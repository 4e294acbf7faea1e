/** Finds the spans that compared items were made from, by application and draft. Pure. */
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import type { ChosenItem } from '../../electron/shared/run-comparison.ts';
import { formatCount, formatNumber } from './format.ts';

type Draft = Pick<DatasetBuild, 'buildId' | 'applicationId' | 'applicationName'>;

export interface SpansOfApplication {
  application: { id: string; name: string };
  /** Positions of the spans in each draft. */
  positions: Map<string, number[]>;
  count: number;
}

interface FoundSpans {
  /** Ordered by number of spans, largest first. */
  groups: SpansOfApplication[];
  /** Number of items whose span is in no draft on this computer. */
  without: number;
}

export function spansOfItems(items: readonly ChosenItem[], drafts: readonly Draft[]): FoundSpans {
  const byId = new Map(drafts.map((draft) => [draft.buildId, draft]));
  const groups = new Map<string, SpansOfApplication>();
  let without = 0;
  for (const { origin } of items) {
    const draft = origin === null ? undefined : byId.get(origin.buildId);
    if (origin === null || draft === undefined) {
      without += 1;
      continue;
    }
    const { applicationId: id, applicationName: name } = draft;
    const group = groups.get(id) ?? { application: { id, name }, positions: new Map(), count: 0 };
    const positions = group.positions.get(draft.buildId) ?? [];
    positions.push(origin.position);
    group.positions.set(draft.buildId, positions);
    group.count += 1;
    groups.set(id, group);
  }
  return { groups: [...groups.values()].toSorted((one, other) => other.count - one.count), without };
}

/** States how many items have no span, and how many spans were selected before; empty if both are 0. */
export function leftOutText(without: number, known: number): string {
  return [
    without === 0 ? '' : `${formatCount(without, 'item')} without a span in a draft on this computer.`,
    known === 0 ? '' : `${formatNumber(known)} selected already.`,
  ]
    .filter((text) => text !== '')
    .join(' ');
}
