/** Everything of one connection that begins by itself later, of every kind, in one list. */
import type { PlannedSource } from '../jobs/schedule.ts';
import { AppError } from '../shared/errors.ts';
import type { PlannedAct, PlannedAction, PlannedKind } from '../shared/planned-model.ts';

export interface PlannedActs {
  /** The next one first. */
  list(): PlannedAct[];
  /** Begins one now, gives it another time, or calls it off; answers what is planned then. */
  control(
    kind: PlannedKind,
    id: string,
    action: PlannedAction,
    startAtMs: number | null,
  ): Promise<PlannedAct[]>;
}

export function createPlannedActs(
  sources: readonly PlannedSource[],
  onChange: (acts: PlannedAct[]) => void,
): PlannedActs {
  const list = () =>
    sources.flatMap((source) => source.list()).toSorted((one, other) => one.startAtMs - other.startAtMs);
  for (const { starts } of sources) starts.listen(() => onChange(list()));
  return {
    list,
    control: async (kind, id, action, startAtMs) => {
      const source = sources.find((candidate) => candidate.kind === kind);
      const isPlanned = source?.list().some((act) => act.id === id);
      if (source === undefined || isPlanned !== true) {
        throw new AppError(
          'INVALID_ARGUMENT',
          'Expected a planned start, but it has already started or was cancelled.',
        );
      }
      await source.control(id, action, startAtMs);
      return list();
    },
  };
}
