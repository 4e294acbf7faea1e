/** Named mappings: of spans to dataset items, for an application or one of its datasets, and of files to events. */
import { mapping } from './dataset-model.ts';
import { uploadPreset } from './upload-preset.ts';
import * as z from './zod.ts';

const presetOwner = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('spans'),
    applicationId: z.uuid(),
    /** The mapping is only for items of this dataset. */
    datasetId: z.string().min(1).max(100).optional(),
  }),
  z.strictObject({ kind: z.literal('upload') }),
]);
export type PresetOwner = z.infer<typeof presetOwner>;

export const presetContent = z.union([mapping, uploadPreset]);
export type PresetContent = z.infer<typeof presetContent>;

export const MAX_PRESET_NAME = 100;
const presetName = z.string().trim().min(1).max(MAX_PRESET_NAME);

/**
 * A mapping in a file that people exchange: names of columns, keys and fields, and values that are replaced or added;
 * no rows.
 */
export const sharedMapping = z.strictObject({
  format: z.literal('spandeck-mapping'),
  version: z.literal(1),
  name: presetName,
  mapping: presetContent,
});
export type SharedMapping = Pick<z.infer<typeof sharedMapping>, 'name' | 'mapping'>;

export interface Preset<C extends PresetContent = PresetContent> {
  presetId: string;
  name: string;
  content: C;
  savedAtMs: number;
}

const connectionId = z.uuid();

export const presetContract = {
  'presets:list': z.strictObject({ connectionId, owner: presetOwner }),
  /** Replaces the mapping of that name; deletes it if there is no content. */
  'presets:save': z.strictObject({
    connectionId,
    owner: presetOwner,
    name: presetName,
    content: presetContent.nullable(),
  }),
} as const;

export interface PresetResults {
  'presets:list': Preset[];
  'presets:save': null;
}
