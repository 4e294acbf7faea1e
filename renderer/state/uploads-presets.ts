/**
 * How files of one layout were sent last time, so that next week's file needs no choice again. Kept with the
 * connection; holds names of columns and of the model, never values.
 */
import { z } from 'zod';
import { rowPolicy } from '../../electron/shared/row-policy.ts';
import { COLUMN_TYPES, type FilePreview, type UploadPlan } from '../../electron/shared/upload-model.ts';

export const PRESETS_KEY = 'upload-presets';
const MOST_PRESETS = 30;
/** A wider layout is not worth its place. */
const MOST_COLUMNS = 500;

const preset = z.object({
  layout: z.string(),
  modelId: z.string(),
  modelName: z.string(),
  envType: z.string(),
  envName: z.string(),
  mode: z.enum(['publish', 'update']),
  batchRows: z.number(),
  onBadRow: rowPolicy,
  edits: z.record(
    z.string(),
    z.object({ target: z.string().nullable().optional(), type: z.enum(COLUMN_TYPES).optional() }),
  ),
});
type Preset = z.infer<typeof preset>;

interface Source {
  preview: FilePreview | null;
  plan: UploadPlan | null;
  edits: Preset['edits'];
}

/** What two files share that need the same choices: format and column names, in order. */
function layoutOf(preview: FilePreview): string {
  return JSON.stringify([preview.dialect.format, ...preview.columns.map(({ name }) => name)]);
}

function readPresets(kept: unknown): Preset[] {
  const parsed = z.array(preset).safeParse(kept);
  return parsed.success ? parsed.data : [];
}

export function findPreset(kept: unknown, preview: FilePreview): Preset | null {
  const layout = layoutOf(preview);
  return readPresets(kept).find((each) => each.layout === layout) ?? null;
}

/** The kept presets with this one in front; the oldest fall away. */
export function withPreset(kept: unknown, { preview, plan, edits }: Source): Preset[] {
  const presets = readPresets(kept);
  if (preview === null || plan === null || preview.columns.length > MOST_COLUMNS) return presets;
  const layout = layoutOf(preview);
  const latest: Preset = {
    layout,
    modelId: plan.modelId,
    modelName: plan.modelName,
    envType: plan.envType,
    envName: plan.envName ?? '',
    mode: plan.mode,
    batchRows: plan.batchRows,
    onBadRow: plan.onBadRow,
    edits,
  };
  return [latest, ...presets.filter((each) => each.layout !== layout)].slice(0, MOST_PRESETS);
}
