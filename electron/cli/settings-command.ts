/** `settings`: reads and changes the settings. Sends nothing and needs no connection. */
import { resolve } from 'node:path';
import { readSmallFile } from '../api/small-file.ts';
import { AppError } from '../shared/errors.ts';
import {
  changedKeys,
  type ExportedSettings,
  expectedText,
  exportSettings,
  importSettings,
  readTyped,
  type Settings,
  settingRow,
  settingText,
} from '../shared/settings.ts';
import { SETTINGS_TABLE, type SettingKey } from '../shared/settings-table.ts';
import { checkWords } from './choose.ts';
import { checkSaved } from './confirm.ts';
import type { CommandContext } from './context.ts';
import { readStandardInput, textOf } from './given-text.ts';
import { counted } from './human-text.ts';
import { table } from './output.ts';
import { didYouMean } from './suggestions.ts';

const ACTIONS = ['list', 'get', 'set', 'reset', 'export', 'import'] as const;
/** Number of words that follow an action. */
const MAX_WORDS = { list: 0, get: 1, set: Number.POSITIVE_INFINITY, reset: 1, export: 1, import: 1 };
/** Column width for descriptions of one or two sentences. */
const WIDEST = 120;
const MAX_FILE_BYTES = 1_000_000;

export async function settings(context: CommandContext): Promise<void> {
  const [typed = 'list', first, ...rest] = context.args.positionals;
  const action = ACTIONS.find((each) => each === typed);
  if (action !== undefined) checkWords(context, MAX_WORDS[action]);
  switch (action) {
    case 'list':
      return list(context);
    case 'get':
      return show(context, keyOf(first, 'get'));
    case 'set': {
      const key = keyOf(first, 'set');
      // A value such as `5 min` may be typed as one word or as two.
      const value = rest.join(' ');
      if (value === '')
        throw new AppError('INVALID_ARGUMENT', `settings set ${key} expects a value: ${wanted(key)}.`);
      return change(context, readTyped(key, value), [key]);
    }
    case 'reset':
      return reset(context, first);
    case 'export':
      return exportTo(context, first);
    case 'import':
      return importFrom(context, first);
    case undefined:
      throw new AppError(
        'INVALID_ARGUMENT',
        `settings expects ${ACTIONS.join(', ')} or nothing, got ${typed}.${didYouMean(typed, ACTIONS)}`,
      );
  }
}

function keyOf(typed: string | undefined, action: string): SettingKey {
  const keys = SETTINGS_TABLE.map(({ key }) => key);
  const row = settingRow(typed ?? '');
  if (row !== null) return row.key;
  throw new AppError(
    'INVALID_ARGUMENT',
    `settings ${action} expects KEY, got ${typed ?? 'nothing'}.${didYouMean(typed ?? '', keys)} Run settings for the list.`,
  );
}

function wanted(key: SettingKey): string {
  const row = settingRow(key);
  return row === null ? 'a value' : expectedText(row);
}

function answerOf(key: SettingKey, all: Settings) {
  const row = settingRow(key);
  const value = all[key];
  return {
    key,
    value,
    shown: row === null ? String(value) : settingText(row, value),
    default: row?.default ?? null,
    isChanged: value !== row?.default,
    name: row?.name ?? key,
    effect: row?.effect ?? '',
    expected: wanted(key),
    where: row?.where ?? '',
  };
}

function list({ args, output, engine }: CommandContext): void {
  const all = engine.storedSettings();
  const changed = new Set(changedKeys(all));
  const keys = SETTINGS_TABLE.map(({ key }) => key).filter(
    (key) => !args.flag('changed') || changed.has(key),
  );
  const items = keys.map((key) => answerOf(key, all));
  const lines = items.map(({ key, shown, isChanged, effect }) => ({
    key,
    value: shown,
    changed: isChanged ? 'changed' : '',
    effect,
  }));
  output.answer({ items, total: items.length, complete: true, asOf: null }, () => [
    ...table(lines, ['key', 'value', 'changed', 'effect'], WIDEST).split('\n'),
    `${counted(changed.size, 'setting')} of ${SETTINGS_TABLE.length} changed.`,
  ]);
}

function show({ output, engine }: CommandContext, key: SettingKey): void {
  const answer = answerOf(key, engine.storedSettings());
  output.answer(answer, () => [
    `${key}: ${answer.shown}${answer.isChanged ? `, default ${shownDefault(key)}` : ' (default)'}`,
    answer.effect,
    `Expected ${answer.expected}. Applies to: ${answer.where}.`,
  ]);
}

function shownDefault(key: SettingKey): string {
  const row = settingRow(key);
  return row === null ? '' : settingText(row, row.default);
}

function change(context: CommandContext, patch: Partial<ExportedSettings>, keys: SettingKey[]): void {
  const { output, engine } = context;
  checkSaved(context);
  engine.saveSettings(patch);
  const all = engine.storedSettings();
  const items = keys.map((key) => answerOf(key, all));
  output.answer({ items }, () => items.map(({ key, shown }) => `${key}: ${shown}`));
}

/** Resets a setting; without a key, all settings that were changed, which requires --yes. */
function reset(context: CommandContext, typed: string | undefined): void {
  const keys = typed === undefined ? changedKeys(context.engine.storedSettings()) : [keyOf(typed, 'reset')];
  const defaults = SETTINGS_TABLE.filter(({ key }) => keys.includes(key)).map((row) => [
    row.key,
    row.default,
  ]);
  if (keys.length === 0) {
    context.output.answer({ items: [] }, () => ['No setting is changed.']);
    return;
  }
  if (typed === undefined && !context.args.flag('yes'))
    throw new AppError(
      'INVALID_ARGUMENT',
      `Nothing was reset. Add --yes to reset ${counted(keys.length, 'setting')} (${keys.join(', ')}), or name one.`,
    );
  change(context, Object.fromEntries(defaults), keys);
}

async function exportTo({ output, engine }: CommandContext, typed: string | undefined): Promise<void> {
  const text = exportSettings(engine.storedSettings());
  if (typed === undefined || typed === '-') return output.answer(JSON.parse(text), () => text.trimEnd());
  const path = resolve(typed);
  await engine.writeFile(path, Buffer.from(text));
  output.answer({ settings: SETTINGS_TABLE.length, file: path }, () => [
    `${counted(SETTINGS_TABLE.length, 'setting')} and the shortcuts written to ${path}. It contains no connection and no token.`,
  ]);
}

async function readFileText(typed: string): Promise<string> {
  const bytes = await readSmallFile(resolve(typed), MAX_FILE_BYTES).catch((thrown: unknown) => {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new AppError('FILE_NOT_FOUND', `${typed} cannot be read: ${reason}.`, {}, thrown);
  });
  return textOf(bytes, typed);
}

async function importFrom(context: CommandContext, typed: string | undefined): Promise<void> {
  if (typed === undefined)
    throw new AppError('INVALID_ARGUMENT', 'settings import expects FILE, or - for standard input.');
  const text = typed === '-' ? await readStandardInput(context) : await readFileText(typed);
  const { patch, unknown } = importSettings(text);
  if (patch.shortcuts !== undefined) context.output.note('The shortcuts of the file apply from now on.');
  if (unknown.length > 0) context.output.note(`Unknown and left out: ${unknown.join(', ')}.`);
  change(
    context,
    patch,
    SETTINGS_TABLE.flatMap(({ key }) => (patch[key] === undefined ? [] : [key])),
  );
}
