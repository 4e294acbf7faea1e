/** The types of rows in the settings table: kinds, categories and units. */

export const SETTING_CATEGORIES = [
  { id: 'look', title: 'Look' },
  { id: 'numbers', title: 'Numbers and times' },
  { id: 'start', title: 'Start and tabs' },
  { id: 'jobs', title: 'Jobs and notifications' },
  { id: 'offline', title: 'Storage and offline' },
  { id: 'network', title: 'Requests and network' },
  { id: 'uploads', title: 'Uploads' },
  { id: 'logs', title: 'Logs' },
] as const;
type CategoryId = (typeof SETTING_CATEGORIES)[number]['id'];

/** Units of numbers: the word that is typed and shown, with the stored number for one unit. */
export const UNITS = {
  '': 1,
  rows: 1,
  tabs: 1,
  files: 1,
  attempts: 1,
  requests: 1,
  days: 1,
  s: 1_000,
  min: 60_000,
  KB: 1_000,
  MB: 1_000_000,
  '%': 0.01,
} as const;
type Unit = keyof typeof UNITS;

interface RowBase {
  /** Name on the command line and in exported files. */
  key: string;
  category: CategoryId;
  name: string;
  /** The effect of the setting, in one line. */
  effect: string;
  /** The programs that use the setting. */
  where: 'window' | 'window and command line';
  /** Additional search words. */
  keywords?: string;
  /** Field of a connection that overrides the setting, in seconds. */
  ownOfConnection?: 'answerTimeoutS';
}

interface ChoiceRow extends RowBase {
  kind: 'choice';
  choices: readonly { value: string; title: string }[];
  default: string;
}

export interface NumberRow extends RowBase {
  kind: 'number';
  unit: Unit;
  /** Bounds of the stored value: milliseconds, bytes, shares of 1, or counts. */
  min: number;
  max: number;
  default: number;
  isWhole: boolean;
}

interface SwitchRow extends RowBase {
  kind: 'switch';
  default: boolean;
}

/** `system`, or the IANA name of a time zone. */
interface ZoneRow extends RowBase {
  kind: 'zone';
  default: string;
}

interface TextRow extends RowBase {
  kind: 'text';
  default: string;
  /** Description of the expected text: `names of fields, with commas`. */
  expected: string;
  /** Required format of a text; any if absent. */
  pattern?: RegExp;
  /** Maximum length in characters. */
  most: number;
}

export type SettingRow = ChoiceRow | NumberRow | SwitchRow | ZoneRow | TextRow;
