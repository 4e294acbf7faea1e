/** Mappings kept by name for an application. All throw AppError. */
import type { DamagedRow } from '../../electron/shared/damaged-rows.ts';
import type { Mapping, MappingPreset } from '../../electron/shared/dataset-model.ts';
import { client } from '../lib/client.ts';

interface Owner {
  connectionId: string;
  applicationId: string;
}

export function listPresets(owner: Owner): Promise<MappingPreset[]> {
  return client.invoke('builds:list-presets', owner);
}

/** Those of any application that cannot be read. */
export async function listDamagedPresets(connectionId: string): Promise<DamagedRow[]> {
  const rows = await client.invoke('damaged:list', { connectionId });
  return rows.filter(({ kind }) => kind === 'preset');
}

export async function removeDamagedPreset(connectionId: string, id: string): Promise<void> {
  await client.invoke('damaged:remove', { connectionId, kind: 'preset', id });
}

/** Replaces the one of that name. */
export async function savePreset(owner: Owner, name: string, mapping: Mapping): Promise<void> {
  await client.invoke('builds:save-preset', { ...owner, name, mapping });
}

export async function removePreset(owner: Owner, name: string): Promise<void> {
  await client.invoke('builds:save-preset', { ...owner, name, mapping: null });
}
