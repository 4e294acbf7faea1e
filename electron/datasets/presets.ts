/** Named mappings for spans and for files. */
import type { PresetOwner } from '../shared/preset-contract.ts';
import type { DatasetsDeps, Presets } from './types.ts';

/** Files do not belong to an application. */
function ownerId(owner: PresetOwner): string {
  if (owner.kind === 'upload') return 'uploads';
  const { applicationId, datasetId } = owner;
  return datasetId === undefined ? applicationId : `${applicationId} ${datasetId}`;
}

export function createPresets({
  store,
  clock,
  random,
}: Pick<DatasetsDeps, 'store' | 'clock' | 'random'>): Presets {
  return {
    list: (owner) => store.presets.list(ownerId(owner)),
    ofApplication: (applicationId) => store.presets.listWithin(applicationId),
    save: (owner, name, content) => {
      const preset = { presetId: random.uuid(), name, content, savedAtMs: clock.nowMs() };
      store.commit(() => store.presets.save(ownerId(owner), preset));
      return preset;
    },
    remove: (owner, name) => {
      store.commit(() => store.presets.remove(ownerId(owner), name));
    },
  };
}
