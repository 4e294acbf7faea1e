/** Mappings kept by name for an application. All throw AppError. */
import type { Mapping, MappingPreset } from '../../electron/shared/dataset-model.ts';
import { client } from '../lib/client.ts';

interface Owner {
  connectionId: string;
  applicationId: string;
}

export function listPresets(owner: Owner): Promise<MappingPreset[]> {
  return client.invoke('builds:list-presets', owner);
}

/** Replaces the one of that name. */
export function savePreset(owner: Owner, name: string, mapping: Mapping): Promise<MappingPreset> {
  return client.invoke('builds:save-preset', { ...owner, name, mapping });
}

export async function removePreset(connectionId: string, presetId: string): Promise<void> {
  await client.invoke('builds:remove-preset', { connectionId, presetId });
}
