/** The settings of a profile: those of the table, and the state that the window remembers. */

import { counted, numberText } from './count-text.ts';
import { cutText } from './cut-text.ts';
import { AppError } from './errors.ts';
import { jsonObject, jsonValue } from './json-body.ts';
import { type NumberRow, type SettingRow, UNITS } from './setting-rows.ts';
import {
  SETTINGS_TABLE,
  type SettingKey,
  type SettingValue,
  TABLE_DEFAULTS,
  type TableSettings,
} from './settings-table.ts';
import * as z from './zod.ts';
import { isZone } from './zone-time.ts';

export const SYSTEM_ZONE = 'system';

function schemaOf(row: SettingRow): z.ZodType {
  switch (row.kind) {
    case 'choice':
      return z.enum(row.choices.map(({ value }) => value));
    case 'switch':
      return z.boolean();
    case 'zone':
      return z
        .string()
        .max(100)
        .refine((zone) => zone === SYSTEM_ZONE || isZone(zone), 'expected system or the name of a time zone');
    case 'text':
      return row.pattern === undefined
        ? z.string().max(row.most)
        : z.string().max(row.most).regex(row.pattern);
    case 'number': {
      const number = row.isWhole ? z.int() : z.number();
      return number.min(row.min).max(row.max);
    }
  }
}

// `fromEntries` loses which schema belongs to which key; each schema is for the value of its row.
const tableShape = Object.fromEntries(SETTINGS_TABLE.map((row) => [row.key, schemaOf(row)])) as {
  [K in SettingKey]: z.ZodType<TableSettings[K]>;
};

export const settings = z.strictObject({
  ...tableShape,
  /** Whether no requests are sent to any service. Survives quitting, see `offlineAtStart`. */
  worksOffline: z.boolean(),
  isSidebarOpen: z.boolean(),
  isInspectorOpen: z.boolean(),
  activeConnectionId: z.uuid().nullable(),
  lastFolder: z.string().nullable(),
  /** Whether `privateFields` may have been lost with damaged settings and nobody has set them since. */
  arePrivateFieldsLost: z.boolean(),
  /** Keys of commands that differ from the table of commands; null if the person removed them. */
  shortcuts: z.record(z.string().max(100), z.string().min(1).max(60).nullable()),
  /**
   * Draft of the form for the first connection, without a token. It is stored here because there is no connection yet.
   */
  firstConnection: z.record(z.string().max(200), jsonValue).nullable(),
});
export type Settings = z.infer<typeof settings>;

export const DEFAULT_SETTINGS: Settings = {
  ...TABLE_DEFAULTS,
  worksOffline: false,
  isSidebarOpen: true,
  isInspectorOpen: true,
  activeConnectionId: null,
  lastFolder: null,
  arePrivateFieldsLost: false,
  shortcuts: {},
  firstConnection: null,
};

/** The row of a key; null if it is not a setting. */
export function settingRow(key: string): (SettingRow & { key: SettingKey }) | null {
  return SETTINGS_TABLE.find((row) => row.key === key) ?? null;
}

const MAX_QUOTED = 100;

/** One setting as a partial update. Throws INVALID_ARGUMENT with the expected and the actual value. */
export function settingPatch(key: SettingKey, value: unknown): Partial<TableSettings> {
  const row = settingRow(key);
  const parsed = tableShape[key].safeParse(value);
  if (parsed.success) return { [key]: parsed.data };
  const got = typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
  throw new AppError(
    'INVALID_ARGUMENT',
    `${key}: expected ${row === null ? 'a setting' : expectedText(row)}, got ${cutText(got ?? 'nothing', MAX_QUOTED)}.`,
  );
}

/** `a number from 10 to 1,000 rows`, `one of light, dark`: the expected value, for messages. */
export function expectedText(row: SettingRow): string {
  switch (row.kind) {
    case 'choice':
      return `one of ${row.choices.map(({ value }) => value).join(', ')}`;
    case 'switch':
      return 'on or off';
    case 'zone':
      return 'system or the name of a time zone such as UTC or Europe/Berlin';
    case 'text':
      return row.expected;
    case 'number':
      return `a ${row.isWhole && UNITS[row.unit] === 1 ? 'whole number' : 'number'} from ${numberText(amountOf(row, row.min))} to ${settingText(row, row.max)}`;
  }
}

/** A stored number in the unit of its row, with at most two decimals. */
export function amountOf(row: NumberRow, stored: number): number {
  return Math.round((stored / UNITS[row.unit]) * 100) / 100;
}

/** The stored number for an amount in the unit of its row. */
export function storedOf(row: NumberRow, amount: number): number {
  const stored = amount * UNITS[row.unit];
  // 33.33 % means a third, so that typing the displayed default again gives exactly the default.
  if (amount === amountOf(row, row.default)) return row.default;
  return row.isWhole ? Math.round(stored) : stored;
}

/** A value for display, e.g. `500 rows`, `5 min`, `on`, `Dark`. */
export function settingText(row: SettingRow, value: SettingValue): string {
  if (row.kind === 'number' && typeof value === 'number') {
    const amount = amountOf(row, value);
    // Only units that are nouns have a plural.
    if (row.unit.length > 3) return counted(amount, row.unit.slice(0, -1));
    return `${numberText(amount)} ${row.unit}`.trim();
  }
  if (row.kind === 'choice')
    return row.choices.find((choice) => choice.value === value)?.title ?? String(value);
  if (row.kind === 'switch') return value === true ? 'on' : 'off';
  if (row.kind === 'text') return value === '' ? 'none' : String(value);
  return value === SYSTEM_ZONE ? 'as the system' : String(value);
}

/**
 * Parses a typed value: `on`, `dark`, `Europe/Berlin`, a stored number, or one with the unit of its row (`5 min`, `33
 * %`). Throws INVALID_ARGUMENT.
 */
export function readTyped(key: SettingKey, typed: string): Partial<TableSettings> {
  const row = settingRow(key);
  const text = typed.trim();
  if (row?.kind === 'switch') {
    const isOn = ['on', 'true', 'yes'].includes(text);
    return settingPatch(key, isOn || (['off', 'false', 'no'].includes(text) ? false : text));
  }
  if (row?.kind !== 'number') return settingPatch(key, text);
  const [, digits = '', unit = ''] = /^(-?\d+(?:\.\d+)?)\s*([a-z%]*)$/i.exec(text) ?? [];
  if (digits === '') return settingPatch(key, text);
  if (unit === '') return settingPatch(key, Number(digits));
  if (unit.toLowerCase() === row.unit.toLowerCase()) return settingPatch(key, storedOf(row, Number(digits)));
  return settingPatch(key, text);
}

/** Settings that differ from the defaults, in the order of the table. */
export function changedKeys(of: TableSettings): SettingKey[] {
  return SETTINGS_TABLE.filter((row) => of[row.key] !== row.default).map(({ key }) => key);
}

const FILE_VERSION = 1;
const exported = z.object({
  version: z.literal(FILE_VERSION),
  settings: jsonObject,
  /** Absent in files of earlier versions: then the present shortcuts stay. */
  shortcuts: settings.shape.shortcuts.optional(),
});
/** Contents of a settings file: the table, and the changed shortcuts. */
export type ExportedSettings = TableSettings & Pick<Settings, 'shortcuts'>;

/** All settings of the table and the shortcuts as a file, without connections, folders and tokens. */
export function exportSettings(of: ExportedSettings): string {
  const values = Object.fromEntries(SETTINGS_TABLE.map(({ key }) => [key, of[key]]));
  const { shortcuts } = of;
  return `${JSON.stringify({ version: FILE_VERSION, settings: values, shortcuts }, null, 2)}\n`;
}

interface ImportedSettings {
  patch: Partial<ExportedSettings>;
  /** Names that this version does not know and ignores. */
  unknown: string[];
}

/** The contents of an exported file. Throws INVALID_ARGUMENT if any value is invalid; then nothing is imported. */
export function importSettings(text: string): ImportedSettings {
  const parsed = exported.safeParse(parseJson(text));
  if (!parsed.success) {
    throw new AppError(
      'INVALID_ARGUMENT',
      `A file written by Export was expected: {"version": ${FILE_VERSION}, "settings": {…}}. This one is something else.`,
    );
  }
  const { shortcuts } = parsed.data;
  const patch: Partial<ExportedSettings> = shortcuts === undefined ? {} : { shortcuts };
  const unknown: string[] = [];
  const refused: string[] = [];
  for (const [name, value] of Object.entries(parsed.data.settings)) {
    const row = settingRow(name);
    if (row === null) unknown.push(name);
    else {
      try {
        Object.assign(patch, settingPatch(row.key, value));
      } catch (thrown) {
        if (!(thrown instanceof AppError)) throw thrown;
        refused.push(thrown.message);
      }
    }
  }
  if (refused.length > 0) {
    throw new AppError('INVALID_ARGUMENT', `${refused.join(' ')} Nothing was changed.`);
  }
  return { patch, unknown };
}

function parseJson(text: string): unknown {
  try {
    // Some editors write a byte-order mark at the beginning.
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}
