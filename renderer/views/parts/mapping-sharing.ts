/** Mappings as files: saves one, and recognizes a dropped one. */
import type { PresetContent } from '../../../electron/shared/preset-contract.ts';
import {
  isMappingText,
  MAPPING_FILE_ENDING,
  MAX_MAPPING_FILE_BYTES,
  mappingText,
} from '../../lib/mapping-file.ts';
import { app } from '../../state/app.svelte.ts';
import { fileNameOf } from './view-sharing.ts';

export async function saveMappingFile(name: string, mapping: PresetContent): Promise<void> {
  const content = new Blob([mappingText({ name, mapping })], { type: 'application/json' });
  await app.save(fileNameOf(name, MAPPING_FILE_ENDING), content);
}

/** The text of a dropped file if it is a mapping, even a damaged one; null for any other file. */
export async function mappingTextIn(file: File): Promise<string | null> {
  if (file.size > MAX_MAPPING_FILE_BYTES || !file.name.toLowerCase().endsWith('.json')) return null;
  // If the file cannot be read, the upload form reports it.
  const text = await file.text().catch(() => '');
  return isMappingText(text) ? text : null;
}
