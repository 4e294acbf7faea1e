/**
 * Every setting of a person as data: the settings view, the command line, validation and the README are made of this
 * table. What the window merely remembers (open panels, the last folder) is no setting, see settings.ts.
 */
import { DATE_FORMATS, NUMBER_FORMATS } from './value-formats.ts';

export const SETTING_CATEGORIES = [
  { id: 'look', title: 'Look' },
  { id: 'numbers', title: 'Numbers and times' },
  { id: 'start', title: 'Start and tabs' },
  { id: 'jobs', title: 'Jobs' },
  { id: 'offline', title: 'Storage and offline' },
  { id: 'network', title: 'Requests and network' },
  { id: 'uploads', title: 'Uploads' },
  { id: 'logs', title: 'Logs' },
] as const;
type CategoryId = (typeof SETTING_CATEGORIES)[number]['id'];

/** Units of numbers, by the word that is typed and shown: how much of the stored number one of them is. */
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
  /** What it does, in one line. */
  effect: string;
  /** Where it counts. */
  where: 'window' | 'window and command line';
  /** Other words a person may look for it by. */
  keywords?: string;
  /** Field of a connection that counts instead where it is set; in seconds. */
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
  /** As stored: milliseconds, bytes, a share of 1. */
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
  /** What is typed, in words: `names of fields, with commas`. */
  expected: string;
  /** Characters. */
  most: number;
}

export type SettingRow = ChoiceRow | NumberRow | SwitchRow | ZoneRow | TextRow;

const BOTH = 'window and command line';
const WINDOW = 'window';

const TABLE = [
  {
    key: 'theme',
    category: 'look',
    name: 'Theme',
    effect: 'Colours of the window.',
    where: WINDOW,
    keywords: 'dark light mode colours appearance',
    kind: 'choice',
    choices: [
      { value: 'system', title: 'As the system' },
      { value: 'light', title: 'Light' },
      { value: 'dark', title: 'Dark' },
    ],
    default: 'system',
  },
  {
    key: 'contrast',
    category: 'look',
    name: 'Contrast',
    effect: 'How far text, edges and marks stand out from their ground.',
    where: WINDOW,
    keywords: 'high contrast accessibility colours forced',
    kind: 'choice',
    choices: [
      { value: 'system', title: 'As the system' },
      { value: 'usual', title: 'Usual' },
      { value: 'more', title: 'More' },
    ],
    default: 'system',
  },
  {
    key: 'density',
    category: 'look',
    name: 'Row density',
    effect: 'Height of the rows of every grid.',
    where: WINDOW,
    keywords: 'row height size compact',
    kind: 'choice',
    choices: [
      { value: 'compact', title: 'Compact, 24 px' },
      { value: 'default', title: 'Default, 28 px' },
      { value: 'comfortable', title: 'Comfortable, 34 px' },
    ],
    default: 'default',
  },
  {
    key: 'privacy',
    category: 'look',
    name: 'Privacy mode',
    effect: 'Names, addresses and chosen fields are masked in the window. Copies, exports and forms are not.',
    where: WINDOW,
    keywords: 'mask hide share screen presentation names hosts',
    kind: 'switch',
    default: false,
  },
  {
    key: 'privateFields',
    category: 'look',
    name: 'Fields masked by privacy mode',
    effect: 'Beside names and addresses. A field matches wherever a path ends so; .* means all below it.',
    where: WINDOW,
    keywords: 'mask hide columns privacy',
    kind: 'text',
    expected: 'names of fields with commas between them, such as input, user.*',
    most: 2_000,
    default: '',
  },
  {
    key: 'timeZone',
    category: 'numbers',
    name: 'Time zone',
    effect:
      'Zone in which times are shown and typed. Hourly values of charts follow it; daily ones stay in UTC.',
    where: BOTH,
    keywords: 'local UTC clock',
    kind: 'zone',
    default: 'system',
  },
  {
    key: 'dateFormat',
    category: 'numbers',
    name: 'Dates',
    effect: 'How dates are written in text. Columns and typed dates stay 2026-03-12.',
    where: BOTH,
    keywords: 'format day month',
    kind: 'choice',
    choices: DATE_FORMATS,
    default: 'day-month',
  },
  {
    key: 'clock',
    category: 'numbers',
    name: 'Time of day',
    effect: 'Clock of 24 or of 12 hours in text. Columns stay at 24 hours.',
    where: BOTH,
    keywords: 'format hours am pm',
    kind: 'choice',
    choices: [
      { value: '24', title: '14:02' },
      { value: '12', title: '2:02 pm' },
    ],
    default: '24',
  },
  {
    key: 'numberFormat',
    category: 'numbers',
    name: 'Numbers',
    effect: 'Separators of thousands and decimals. Copied and exported values keep the point.',
    where: BOTH,
    keywords: 'format separator decimal comma point',
    kind: 'choice',
    choices: NUMBER_FORMATS,
    default: 'comma',
  },
  {
    key: 'restoresTabs',
    category: 'start',
    name: 'Reopen tabs',
    effect: 'Tabs of the last session open at start. Pinned tabs and tabs with a draft always open.',
    where: WINDOW,
    keywords: 'restore session',
    kind: 'switch',
    default: true,
  },
  {
    key: 'mostTabs',
    category: 'start',
    name: 'Most open tabs',
    effect: 'Beyond this number the least recently used tab is closed. Pinned tabs are not.',
    where: WINDOW,
    kind: 'number',
    unit: 'tabs',
    min: 2,
    max: 100,
    default: 20,
    isWhole: true,
  },
  {
    key: 'offlineAtStart',
    category: 'start',
    name: 'Start offline',
    effect: 'Whether Work offline is on when the window opens. Running jobs wait while it is on.',
    where: WINDOW,
    keywords: 'work offline network',
    kind: 'choice',
    choices: [
      { value: 'as-left', title: 'As it was left' },
      { value: 'always', title: 'Always' },
      { value: 'never', title: 'Never' },
    ],
    default: 'as-left',
  },
  {
    key: 'lockAfterMs',
    category: 'start',
    name: 'Lock when idle',
    effect: 'Time without input after which the window is locked, where an app lock is set; 0 for never.',
    where: WINDOW,
    keywords: 'app lock passphrase privacy away screen security',
    kind: 'number',
    unit: 'min',
    min: 0,
    max: 14_400_000,
    default: 600_000,
    isWhole: true,
  },
  {
    key: 'notifies',
    category: 'jobs',
    name: 'Notifications',
    effect: 'When long work ends, fails or needs a decision while the window is not in front.',
    where: WINDOW,
    keywords: 'notify alert message done',
    kind: 'switch',
    default: true,
  },
  {
    key: 'staysAwake',
    category: 'jobs',
    name: 'Stay awake while sending',
    effect: 'The computer does not go to sleep by itself while jobs send, and shortly before planned starts.',
    where: WINDOW,
    keywords: 'sleep suspend power battery',
    kind: 'switch',
    default: true,
  },
  {
    key: 'staleAfterMs',
    category: 'offline',
    name: 'Refresh age',
    effect: 'A list that is older is read again when a view shows it.',
    where: BOTH,
    keywords: 'stale cache age reload',
    kind: 'number',
    unit: 'min',
    min: 0,
    max: 604_800_000,
    default: 300_000,
    isWhole: true,
  },
  {
    key: 'prefetchRows',
    category: 'offline',
    name: 'Rows read ahead',
    effect: 'Rows of a shown list that are read without being scrolled to.',
    where: WINDOW,
    keywords: 'prefetch share background',
    kind: 'number',
    unit: 'rows',
    min: 0,
    max: 1_000_000,
    default: 20_000,
    isWhole: true,
  },
  {
    key: 'mostListBytes',
    category: 'offline',
    name: 'Space for lists that were opened',
    effect:
      'Per connection. Beyond it, or beyond 2,000 lists, those that were opened longest ago are removed. What is kept offline stays.',
    where: BOTH,
    keywords: 'cache size storage disk evict',
    kind: 'number',
    unit: 'MB',
    min: 1_000_000,
    max: 1_000_000_000_000,
    default: 2_000_000_000,
    isWhole: true,
  },
  {
    key: 'mostVersions',
    category: 'offline',
    name: 'Versions kept of a dataset',
    effect:
      'Each complete fetch with other items is a version. Beyond this number the oldest one is removed.',
    where: BOTH,
    keywords: 'snapshot history dataset disk',
    kind: 'number',
    unit: '',
    min: 2,
    max: 10_000,
    default: 100,
    isWhole: true,
  },
  {
    key: 'keepShare',
    category: 'offline',
    name: 'Keep offline: share of each limit',
    effect: 'Part of every request limit that keeping offline may use. Views have priority.',
    where: BOTH,
    keywords: 'budget prefetch background',
    kind: 'number',
    unit: '%',
    min: 0.01,
    max: 1,
    default: 1 / 3,
    isWhole: false,
  },
  {
    key: 'outboxSends',
    category: 'offline',
    name: 'Send the outbox',
    effect:
      'What happens when the service can be reached again. A change whose record has changed meanwhile always waits for you.',
    where: WINDOW,
    keywords: 'automatic reconnect waiting changes ask',
    kind: 'choice',
    choices: [
      { value: 'when-asked', title: 'When I press Send' },
      { value: 'when-back', title: 'Automatically' },
    ],
    default: 'when-asked',
  },
  {
    key: 'pageRows',
    category: 'network',
    name: 'Rows per page',
    effect: 'Rows asked for in one request of a list. The service may answer with fewer.',
    where: BOTH,
    keywords: 'page size limit',
    kind: 'number',
    unit: 'rows',
    min: 10,
    max: 1_000,
    default: 500,
    isWhole: true,
  },
  {
    key: 'answerTimeoutMs',
    category: 'network',
    name: 'Time-out of an answer',
    effect:
      'Longest wait for an answer, from the time a connection is opened. A connection may have its own.',
    where: BOTH,
    keywords: 'timeout wait seconds',
    ownOfConnection: 'answerTimeoutS',
    kind: 'number',
    unit: 's',
    min: 5_000,
    max: 3_600_000,
    default: 120_000,
    isWhole: true,
  },
  {
    key: 'silentAfterMs',
    category: 'network',
    name: 'Report silence after',
    effect: 'A request without an answer is named in the status bar after this time.',
    where: BOTH,
    keywords: 'no answer slow timeout',
    kind: 'number',
    unit: 's',
    min: 1_000,
    max: 600_000,
    default: 10_000,
    isWhole: true,
  },
  {
    key: 'probeEveryMs',
    category: 'network',
    name: 'Test address while unreachable',
    effect: 'Longest pause between two small requests that check whether the service is back.',
    where: BOTH,
    keywords: 'offline probe retry reconnect',
    kind: 'number',
    unit: 's',
    min: 2_000,
    max: 3_600_000,
    default: 60_000,
    isWhole: true,
  },
  {
    key: 'mostAttempts',
    category: 'network',
    name: 'Attempts of a request',
    effect: 'How often a read that fails is sent in total. Events are never sent again automatically.',
    where: BOTH,
    keywords: 'retry repeat',
    kind: 'number',
    unit: 'attempts',
    min: 1,
    max: 10,
    default: 4,
    isWhole: true,
  },
  {
    key: 'keychainWaitMs',
    category: 'network',
    name: 'Wait for the keychain',
    effect: 'Time to unlock the keychain before the token counts as not available.',
    where: WINDOW,
    keywords: 'token password secret timeout',
    kind: 'number',
    unit: 's',
    min: 5_000,
    max: 600_000,
    default: 60_000,
    isWhole: true,
  },
  {
    key: 'batchRows',
    category: 'uploads',
    name: 'Rows per batch',
    effect: 'Rows of events sent in one request, proposed for every new upload.',
    where: BOTH,
    keywords: 'batch size events',
    kind: 'number',
    unit: 'rows',
    min: 1,
    max: 100_000,
    default: 1_000,
    isWhole: true,
  },
  {
    key: 'copyDays',
    category: 'uploads',
    name: 'Keep readable copies for',
    effect:
      'Text copies of Parquet, Excel and compressed files are removed when unused this long; checked at start.',
    where: BOTH,
    keywords: 'parquet gzip excel unpacked disk',
    kind: 'number',
    unit: 'days',
    min: 1,
    max: 3_650,
    default: 30,
    isWhole: true,
  },
  {
    key: 'logRequests',
    category: 'logs',
    name: 'Requests in Traffic',
    effect: 'Newest requests of a connection that stay listed, from the time it is opened.',
    where: BOTH,
    keywords: 'traffic log size history',
    kind: 'number',
    unit: 'requests',
    min: 100,
    max: 100_000,
    default: 10_000,
    isWhole: true,
  },
  {
    key: 'logFileBytes',
    category: 'logs',
    name: 'Size of a log file',
    effect: 'A larger log file is closed and a new one is started.',
    where: BOTH,
    keywords: 'log size disk',
    kind: 'number',
    unit: 'KB',
    min: 10_000,
    max: 100_000_000,
    default: 1_000_000,
    isWhole: true,
  },
  {
    key: 'logFiles',
    category: 'logs',
    name: 'Older log files',
    effect: 'Closed log files that stay beside the current one.',
    where: BOTH,
    keywords: 'log size rotate',
    kind: 'number',
    unit: 'files',
    min: 1,
    max: 20,
    default: 3,
    isWhole: true,
  },
] as const satisfies readonly SettingRow[];

type Row = (typeof TABLE)[number];
type ValueOf<R> = R extends { choices: readonly { value: infer V }[] }
  ? V
  : R extends { kind: 'switch' }
    ? boolean
    : R extends { kind: 'number' }
      ? number
      : string;

export type SettingKey = Row['key'];
/** The settings of the table, by key. */
export type TableSettings = { [R in Row as R['key']]: ValueOf<R> };
export type SettingValue = TableSettings[SettingKey];

export const TABLE_DEFAULTS = Object.fromEntries(
  TABLE.map((row) => [row.key, row.default]),
  // Each value is of the row whose key it has.
) as TableSettings;

/** The table as its rows are read. */
export const SETTINGS_TABLE: readonly (SettingRow & { key: SettingKey })[] = TABLE;
