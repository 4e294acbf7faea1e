/** Mappings that are saved by name. All functions throw AppError. */
import type { DamagedRow } from '../../electron/shared/damaged-rows.ts';
import type { Mapping } from '../../electron/shared/dataset-model.ts';
import type { Preset, PresetContent, PresetOwner } from '../../electron/shared/preset-contract.ts';
import { isSameLayout, type UploadPreset } from '../../electron/shared/upload-preset.ts';
import { client } from '../lib/client.ts';

interface Place {
  connectionId: string;
  owner: PresetOwner;
}

function isMapping(preset: Preset): preset is Preset<Mapping> {
  return Array.isArray(preset.content);
}

/** Mappings of an application, or of one of its datasets. */
export async function listMappings(connectionId: string, owner: PresetOwner): Promise<Preset<Mapping>[]> {
  return (await client.invoke('presets:list', { connectionId, owner })).filter(isMapping);
}

export async function listUploadPresets(connectionId: string): Promise<Preset<UploadPreset>[]> {
  const all = await client.invoke('presets:list', { connectionId, owner: { kind: 'upload' } });
  return all.filter((preset): preset is Preset<UploadPreset> => !isMapping(preset));
}

/** Saves a preset, replacing one of the same name. */
export async function savePreset(place: Place, name: string, content: PresetContent): Promise<void> {
  await client.invoke('presets:save', { ...place, name, content });
}

export async function removePreset(place: Place, name: string): Promise<void> {
  await client.invoke('presets:save', { ...place, name, content: null });
}

/** Damaged presets of any owner. */
export async function listDamagedPresets(connectionId: string): Promise<DamagedRow[]> {
  const rows = await client.invoke('damaged:list', { connectionId });
  return rows.filter(({ kind }) => kind === 'preset');
}

export async function removeDamagedPreset(connectionId: string, id: string): Promise<void> {
  await client.invoke('damaged:remove', { connectionId, kind: 'preset', id });
}

/**
 * Stores how a file was sent in place of the previous record, so that the next file with the same columns needs no
 * choices.
 */
export async function keepAsSent(connectionId: string, fileName: string, sent: UploadPreset): Promise<void> {
  const place = { connectionId, owner: { kind: 'upload' } } as const;
  const known = await listUploadPresets(connectionId);
  const isOld = ({ content }: Preset<UploadPreset>) =>
    content.isAutomatic && isSameLayout(content, sent.layout);
  for (const { name } of known.filter(isOld)) await removePreset(place, name);
  const own = fileName.slice(0, 80);
  const isTaken = known.some((each) => each.name === own && !isOld(each));
  await savePreset(place, isTaken ? `${own} (last sent)` : own, { ...sent, isAutomatic: true });
}
