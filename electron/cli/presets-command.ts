/** `presets`: named column mappings of files, for `upload --preset`. */
import type { Session } from '../engine/session.ts';
import type { Dialect } from '../shared/dialect.ts';
import { AppError } from '../shared/errors.ts';
import type { Preset } from '../shared/preset-contract.ts';
import { policyText } from '../shared/row-policy.ts';
import type { FilePreview, UploadPlan } from '../shared/upload-model.ts';
import { MAX_PRESET_COLUMNS, presetDiff, presetOf, type UploadPreset } from '../shared/upload-preset.ts';
import { chosenAction } from './choose.ts';
import { checkForgetting } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { nameList } from './human-text.ts';
import { tableOr } from './output.ts';
import { didYouMean } from './suggestions.ts';

const ACTIONS = { remove: ['yes'] };
const OWNER = { kind: 'upload' } as const;

function listPresets({ datasets }: Session): Preset<UploadPreset>[] {
  return datasets.presets
    .list(OWNER)
    .filter((preset): preset is Preset<UploadPreset> => !Array.isArray(preset.content));
}

/** Throws INVALID_ARGUMENT if there is no preset with that name. */
export function findPreset(session: Session, name: string): Preset<UploadPreset> {
  const all = listPresets(session);
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = all.map((each) => each.name);
  const known = names.length === 0 ? 'None saved yet.' : `Saved: ${nameList(names)}.`;
  throw new AppError('INVALID_ARGUMENT', `There is no preset “${name}”. ${known}${didYouMean(name, names)}`);
}

/** With `--save-preset NAME`, saves how this file is sent, and replaces a preset of that name. */
export function savePreset(
  { args, output }: CommandContext,
  { datasets }: Session,
  { plan, preview, read }: { plan: UploadPlan; preview: FilePreview; read: Partial<Dialect> },
): void {
  const name = args.text('save-preset')?.trim() ?? null;
  if (name === null) return;
  const content = presetOf(plan, preview, read);
  if (name === '' || name.length > 100 || content === null) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `--save-preset expects a name of 1 to 100 characters, and a file of at most ${MAX_PRESET_COLUMNS} columns.`,
    );
  }
  datasets.presets.save(OWNER, name, content);
  output.note(`Saved the preset “${name}”.`);
}

/** Prints differences between the file and the file for which the preset was saved. */
export function noteDifference(
  { output }: CommandContext,
  { name, content }: Preset<UploadPreset>,
  { columns }: FilePreview,
): void {
  const { missing, added, changed } = presetDiff(content, columns);
  const say = (what: string, names: readonly string[]) => {
    if (names.length > 0) output.note(`${what}: ${nameList(names)}.`);
  };
  say(
    `Columns of the preset ${name} that are missing in the file`,
    missing.map((column) => column.name),
  );
  say('Columns that are new in the file', added);
  say(
    'Columns with another type than before',
    changed.map((column) => `${column.name} (${column.before}, now ${column.now})`),
  );
}

export async function presets(context: CommandContext): Promise<void> {
  const [, name] = context.args.positionals;
  const action = chosenAction(context, ACTIONS);
  const session = await context.session();
  if (action === undefined) return list(context, listPresets(session));
  if (name === undefined) throw new AppError('INVALID_ARGUMENT', 'presets remove expects NAME.');
  const found = findPreset(session, name);
  checkForgetting(context, `the preset “${found.name}”`);
  session.datasets.presets.remove(OWNER, found.name);
  context.output.answer({ name: found.name }, () => `Removed the preset “${found.name}”.`);
}

function list({ output }: CommandContext, all: readonly Preset<UploadPreset>[]): void {
  const items = all.map(({ name, content, savedAtMs }) => ({
    name,
    model: content.model.name,
    environment: content.envName === '' ? content.envType : `${content.envType} / ${content.envName}`,
    columns: content.columns.length,
    constants: content.constants.length,
    repairs: content.repairs.length + content.replacements.length,
    policy: content.onBadRow,
    about: policyText(content.onBadRow),
    isAutomatic: content.isAutomatic,
    savedAt: new Date(savedAtMs).toISOString(),
  }));
  output.answer({ items, total: items.length, complete: true, asOf: null }, () =>
    tableOr('No presets on this connection. Save one with: upload FILE --save-preset NAME', items, [
      'name',
      'model',
      'environment',
      'columns',
      'constants',
      'repairs',
      'about',
      'savedAt',
    ]),
  );
}
