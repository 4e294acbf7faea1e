/** Local storage: its size and integrity. Shared by both processes. */
import { counted } from './count-text.ts';
import type { WireError } from './errors.ts';
import * as z from './zod.ts';

/** Every kind of stored data, by its display name. */
export const STORAGE_KINDS = {
  lists: 'Lists',
  items: 'Dataset items',
  spans: 'Spans',
  texts: 'Long texts',
  records: 'Single records',
  uploads: 'Uploads and changes',
  receipts: 'Receipts',
  datasets: 'Datasets from spans and scores',
  snapshots: 'Versions of datasets',
  search: 'Search index',
  logs: 'Request log and logs',
  copies: 'Copies of files and backups',
  aside: 'Damaged files set aside',
  settings: 'Settings and rate limits',
  sample: 'Sample service',
  window: 'Files of the window',
  unused: 'Unused space in files',
  other: 'Other',
} as const;
export type StorageKind = keyof typeof STORAGE_KINDS;

/**
 * The stores by file. `isOfRecord`: its data exists nowhere else and decides what may still be sent. The data of other
 * stores is also at the service, or can be rebuilt.
 */
export const STORES = {
  settings: { file: 'spandeck.db', what: 'connections and settings', isOfRecord: false },
  budget: { file: 'budget.db', what: 'what was used of the rate limits', isOfRecord: true },
  library: { file: 'library.db', what: 'what was read from the service', isOfRecord: false },
  uploads: { file: 'uploads.db', what: 'uploads, deletions, changes and receipts', isOfRecord: true },
  datasets: { file: 'datasets.db', what: 'datasets from spans and scores', isOfRecord: true },
  snapshots: { file: 'snapshots.db', what: 'versions of datasets', isOfRecord: true },
  search: { file: 'search.db', what: 'the search index', isOfRecord: false },
} as const;
export const STORE_NAMES = [
  'settings',
  'budget',
  'library',
  'uploads',
  'datasets',
  'snapshots',
  'search',
] as const;
export type StoreName = (typeof STORE_NAMES)[number];

export type Sizes = Partial<Record<StorageKind, number>>;

export interface StorageReport {
  atMs: number;
  dataDir: string;
  /** The disk with the data folder; null if the system does not report it. */
  disk: { freeBytes: number; totalBytes: number } | null;
  connections: { connectionId: string; name: string; sizeBytes: number; kinds: Sizes }[];
  /** Data that belongs to no connection. */
  shared: { sizeBytes: number; kinds: Sizes };
  /** Quarantine folders with damaged files: nothing reads them any more. */
  aside: { folder: string; sizeBytes: number; atMs: number }[];
}

/** One store that was read completely. */
export interface StoreCheck {
  /** Null for a store that belongs to no connection. */
  connectionId: string | null;
  store: StoreName;
  sizeBytes: number;
  /** Null if nothing is wrong. */
  error: WireError | null;
  /** A remark that is not about damage. */
  note: string | null;
}

/** Stores of a connection for which backup copies are made and can be restored. */
export const COPIED_STORES = ['library', 'uploads', 'datasets', 'snapshots'] as const;
export type CopiedStoreName = (typeof COPIED_STORES)[number];

/** A copy of a store in its folder. */
export interface StoreCopy {
  store: CopiedStoreName;
  /** File name of the copy. */
  name: string;
  sizeBytes: number;
  /** Wall time at which the copy was made. */
  atMs: number;
  /** `update`: made before an update. `restore`: replaced by another copy. */
  origin: 'update' | 'restore';
  /** Number of things in the copy, by noun; the noun of a job is its kind. */
  contents: { noun: string; count: number }[];
  /** Why the copy cannot be read; null if it can. */
  error: WireError | null;
}

export interface ConnectionCopy extends StoreCopy {
  connectionId: string;
}

export interface CopyRestored {
  connectionId: string;
  store: CopiedStoreName;
  /** Name of the file or folder with the replaced store; null if there was none. */
  keptAs: string | null;
  /** Unfinished jobs that were ended or paused, because the copy lacks their later requests. */
  endedJobs: number;
}

export interface StoreCompacted {
  connectionId: string;
  store: StoreName;
  beforeBytes: number;
  afterBytes: number;
  error: WireError | null;
}

/** The result of rescuing the rows of one table. */
export interface RescuedTable {
  table: string;
  /** Rows in the new store. */
  rows: number;
  /** Unreadable ranges of the file; their number of rows is unknown. */
  gaps: number;
  /** Rows that were read but left out: invalid, or belonging to lost data. */
  dropped: number;
}

export interface StoreRepaired {
  connectionId: string | null;
  store: StoreName;
  /** New place of the damaged file; null for a store that is simply rebuilt. */
  folder: string | null;
  tables: RescuedTable[];
  /** Whether every row was recovered. */
  isWhole: boolean;
  /** The last changes are lost, because the write-ahead log was lost. */
  isLogLost: boolean;
  /** Unfinished uploads that were ended, because the record of the rows they sent is incomplete. */
  endedJobs: number;
  error: WireError | null;
}

/** One checked part, with its result as a sentence. */
export interface SelfCheckLine {
  part: 'keychain' | 'stores' | 'disk' | 'service' | 'network' | 'clock';
  state: 'ok' | 'warn' | 'bad' | 'unknown';
  text: string;
}

const connectionId = z.uuid().nullable();
const ofCopy = { connectionId: z.uuid(), store: z.enum(COPIED_STORES), name: z.string().max(200) };

export const healthContract = {
  'health:act': z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('get-storage') }),
    /** Reads every store completely. */
    z.strictObject({ action: z.literal('check') }),
    /** Frees unused space of the files; null: of every connection. */
    z.strictObject({ action: z.literal('compact'), connectionId }),
    /** Checks everything that Spandeck needs, including the service of a given connection. */
    z.strictObject({ action: z.literal('self-check'), connectionId }),
    /** Asks where to save the findings, without names and addresses. */
    z.strictObject({ action: z.literal('save-report'), connectionId }),
    /** Moves one damaged store to quarantine and builds a new one from the readable data. */
    z.strictObject({ action: z.literal('repair'), connectionId, store: z.enum(STORE_NAMES) }),
    /** Lists the backup copies of the stores of every connection, newest first. */
    z.strictObject({ action: z.literal('get-copies') }),
    /** Replaces a store with one of its backup copies; the replaced store is kept as a copy. */
    z.strictObject({ action: z.literal('restore-copy'), ...ofCopy }),
    z.strictObject({ action: z.literal('remove-copy'), ...ofCopy }),
  ]),
} as const;

export interface HealthAnswers {
  'get-storage': StorageReport;
  check: StoreCheck[];
  compact: StoreCompacted[];
  repair: StoreRepaired;
  'self-check': SelfCheckLine[];
  'save-report': { fileName: string } | null;
  'get-copies': ConnectionCopy[];
  'restore-copy': CopyRestored;
  'remove-copy': null;
}

/** Display names for the rows of tables. */
const ROWS_OF: Readonly<Record<string, string>> = {
  list_row: 'rows of lists',
  generation: 'lists',
  list: 'lists',
  record: 'single records',
  long_text_part: 'long texts',
  job: 'jobs',
  part: 'batches',
  receipt: 'receipts',
  connection: 'connections',
  setting: 'settings',
};

/** The result of a repair, as sentences. */
export function repairLines({
  store,
  folder,
  tables,
  isWhole,
  isLogLost,
  endedJobs,
}: StoreRepaired): string[] {
  const { file, what } = STORES[store];
  if (folder === null) return [`${file} was removed; ${what} is made again from what is stored.`];
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const lines = [
    `The damaged ${file} was moved to ${folder}. ${counted(rows, 'row')} of it are in the new one.`,
  ];
  if (isWhole) lines.push('Every row was rescued.');
  else if (tables.length === 0) lines.push(`It could not be read. Lost: ${what}.`);
  for (const { table, gaps, dropped } of tables) {
    const lost = [
      ...(gaps > 0 ? [`${counted(gaps, 'part')} of the file cannot be read`] : []),
      ...(dropped > 0 ? [`${counted(dropped, 'row')} broken or without what they belong to`] : []),
    ];
    if (lost.length > 0) lines.push(`Not rescued from the ${ROWS_OF[table] ?? table}: ${lost.join(', ')}.`);
  }
  if (endedJobs > 0) {
    lines.push(
      `${counted(endedJobs, 'unfinished job')} ended or paused: it is not fully known what the service received. Compare before you send again.`,
    );
  }
  if (isLogLost) {
    lines.push(
      'Its last changes are lost: its write-ahead log was removed, cut, damaged or not its own. A job that is not in the list may have been sent.',
    );
  }
  if (store === 'budget' && !isWhole) {
    lines.push(
      'It is not fully known how much of the limits was used: the first window of each limit counts as used, so deletions may wait up to a day.',
    );
  }
  if (store === 'budget') lines.push('Close Spandeck and open it again to send requests.');
  return lines;
}

/** Display nouns for the contents of a store, if they differ from the key, with irregular plurals. */
const NOUNS: Readonly<Record<string, readonly [noun: string, nouns?: string]>> = {
  outbox: ['outbox change'],
  bulk: ['change of several records', 'changes of several records'],
  items: ['item addition'],
  build: ['draft'],
  score: ['score run'],
  'keep-offline': ['kept entry', 'kept entries'],
  record: ['single record'],
  preset: ['saved mapping'],
  snapshot: ['version'],
};

/** Example: `12 uploads, 3 outbox changes, 1,290 receipts`; `empty` if there is nothing in it. */
export function contentsText({ contents }: Pick<StoreCopy, 'contents'>): string {
  if (contents.length === 0) return 'empty';
  return contents.map(({ noun, count }) => counted(count, ...(NOUNS[noun] ?? [noun]))).join(', ');
}

/** The result of restoring a copy, as sentences. */
export function restoredLines({ store, keptAs, endedJobs }: CopyRestored): string[] {
  const { file, what } = STORES[store];
  const lines = [`The copy of ${file} was restored (${what}).`];
  if (keptAs !== null) lines.push(`The replaced one is kept as ${keptAs}.`);
  if (endedJobs > 0)
    lines.push(
      `${counted(endedJobs, 'unfinished job')} ended or paused: what was sent after the copy was made is not known. Compare before you send again.`,
    );
  return lines;
}
