/**
 * Manages the folder of a mirror. New files lie next to the old ones until `catalog.json`, which names the valid files,
 * is replaced as the last step. Then files that it does not name are removed.
 */
import { appendFile, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WITH_RETRIES, whenFreeLater } from '../shared/busy-files.ts';
import { AppError } from '../shared/errors.ts';
import {
  CATALOG_FILE,
  MIRROR_FORMAT,
  MIRROR_VERSION,
  type MirrorCatalog,
  type MirrorPart,
  type MirrorTable,
  mirrorPart,
  mirrorTable,
} from '../shared/mirror-model.ts';
import * as z from '../shared/zod.ts';
import { PYTHON_READER } from './python-text.ts';

const STATE_FOLDER = '.mirror';
const STATE_FILE = join(STATE_FOLDER, 'state.json');
/** Lists files that were written after the catalog, one JSON object per line. */
const JOURNAL_FILE = join(STATE_FOLDER, 'parts.jsonl');
const PYTHON_FILE = 'spandeck.py';
/** Incremented if the state of earlier versions cannot be continued. All files are then written again. */
const STATE_VERSION = 3;
/** Files that file managers create. */
const IGNORED = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini']);

/** The parts are parsed one by one, because parsing all at once takes longer than a turn of the main thread may. */
const stateTable = mirrorTable.extend({ parts: z.array(z.unknown()) });
const stateFile = z.strictObject({
  version: z.literal(STATE_VERSION),
  connectionId: z.string(),
  tables: z.record(z.string(), stateTable),
});
const journalLine = z.strictObject({ table: z.string(), part: mirrorPart });
const anyOwner = z.looseObject({ connectionId: z.string() });
const namedTables = z.looseObject({ tables: z.record(z.string(), z.unknown()) });
const catalogHead = z.looseObject({
  format: z.literal(MIRROR_FORMAT),
  version: z.int(),
  connection: z.looseObject({ id: z.string(), name: z.string() }),
});

type Connection = MirrorCatalog['connection'];

/** The tables and files that exist in the folder. */
export interface WrittenMirror {
  /** Tables in the catalog, by name. */
  tables: ReadonlyMap<string, MirrorTable>;
  /** Files of each table, including those written after the catalog. */
  parts: ReadonlyMap<string, readonly MirrorPart[]>;
}

/** Throws INVALID_ARGUMENT unless the folder is new, empty, or a mirror of this connection. */
export async function checkFolder(
  folder: string,
  connection: Pick<Connection, 'id' | 'name'>,
): Promise<void> {
  const there = await stat(folder).catch(() => null);
  if (there === null) {
    const above = await stat(dirname(folder)).catch(() => null);
    if (above?.isDirectory() === true) return;
    throw refused(`Expected a folder in an existing one, but ${dirname(folder)} is none.`);
  }
  if (!there.isDirectory()) throw refused(`Expected a folder, but ${basename(folder)} is a file.`);
  const names = (await readdir(folder)).filter((name) => !IGNORED.has(name));
  if (names.length === 0) return;
  const expected = `Expected an empty folder or a mirror of ${connection.name}`;
  const catalog = catalogHead.safeParse(await jsonIn(join(folder, CATALOG_FILE))).data;
  if (catalog !== undefined) {
    if (catalog.version > MIRROR_VERSION)
      throw refused(`${expected}, got a mirror that a newer version of Spandeck wrote.`);
    if (catalog.connection.id === connection.id) return;
    throw refused(`${expected}, got a mirror of ${catalog.connection.name}.`);
  }
  // No catalog exists, because the first writing was interrupted.
  const state = anyOwner.safeParse(await jsonIn(join(folder, STATE_FILE))).data;
  if (state?.connectionId === connection.id) return;
  if (state !== undefined) throw refused(`${expected}, got a mirror of another connection.`);
  const some = names.toSorted().slice(0, 3).join(', ');
  throw refused(`${expected}, got a folder with other files (${some}${names.length > 3 ? ', …' : ''}).`);
}

const refused = (what: string) =>
  new AppError('INVALID_ARGUMENT', `${what} Choose an empty folder or a new name.`);

/**
 * Marks the folder as a mirror, and returns its contents. If the stored state is unreadable, the folder counts as
 * empty.
 */
export async function openFolder(folder: string, connectionId: string): Promise<WrittenMirror> {
  for (const each of [folder, join(folder, STATE_FOLDER)]) await makeFolder(each);
  const stored = stateFile.safeParse(await jsonIn(join(folder, STATE_FILE))).data;
  const known = stored?.connectionId === connectionId ? stored : null;
  if (known === null) {
    await rm(join(folder, JOURNAL_FILE), WITH_RETRIES);
    await writeState(folder, connectionId, new Map());
  }
  const tables = new Map<string, MirrorTable>();
  const parts = new Map<string, MirrorPart[]>();
  const keepIfThere = async (table: string, part: MirrorPart): Promise<void> => {
    if (await isThere(folder, table, part)) parts.set(table, [...(parts.get(table) ?? []), part]);
  };
  for (const [name, table] of Object.entries(known?.tables ?? {})) {
    const own: MirrorPart[] = [];
    for (const value of table.parts) {
      const part = mirrorPart.safeParse(value).data;
      if (part === undefined) break;
      own.push(part);
      await keepIfThere(name, part);
    }
    if (own.length === table.parts.length) tables.set(name, { ...table, parts: own });
  }
  const noted = known === null ? [] : await readJournal(folder);
  for (const { table, part } of noted) await keepIfThere(table, part);
  return { tables, parts };
}

/** Creates the folder unless it exists. */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder).catch((thrown: unknown) => {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EEXIST')) throw thrown;
  });
}

async function readJournal(folder: string): Promise<z.infer<typeof journalLine>[]> {
  const text = await readFile(join(folder, JOURNAL_FILE), 'utf8').catch(() => '');
  // The last line is skipped if it is incomplete because the process was killed.
  return text.split('\n').flatMap((line) => journalLine.safeParse(parsed(line)).data ?? []);
}

const isThere = async (folder: string, table: string, { file, sizeBytes }: MirrorPart): Promise<boolean> =>
  (await stat(join(folder, table, file)).catch(() => null))?.size === sizeBytes;

/** Records files that the catalog does not name yet. */
export async function noteParts(folder: string, table: string, parts: readonly MirrorPart[]): Promise<void> {
  const lines = parts.map((part) => `${JSON.stringify({ table, part })}\n`);
  await appendFile(join(folder, JOURNAL_FILE), lines.join(''));
}

/** Makes these tables the content of the mirror. Readers see either the previous content or all of the new one. */
export async function publish(
  folder: string,
  catalog: MirrorCatalog,
  tables: ReadonlyMap<string, MirrorTable>,
): Promise<void> {
  if ((await readFile(join(folder, PYTHON_FILE), 'utf8').catch(() => null)) !== PYTHON_READER)
    await replace(join(folder, PYTHON_FILE), PYTHON_READER);
  const earlier = await tableNames(folder);
  await replace(join(folder, CATALOG_FILE), `${JSON.stringify(catalog, null, 2)}\n`);
  await removeOthers(folder, earlier, tables);
  // Done last, so that the names of earlier tables are known until their files are removed.
  await writeState(folder, catalog.connection.id, tables);
  await rm(join(folder, JOURNAL_FILE), WITH_RETRIES);
}

/** Names of all tables that this program has written to the folder, according to its state and journal. */
async function tableNames(folder: string): Promise<Set<string>> {
  const state = namedTables.safeParse(await jsonIn(join(folder, STATE_FILE))).data;
  const catalog = namedTables.safeParse(await jsonIn(join(folder, CATALOG_FILE))).data;
  const noted = (await readJournal(folder)).map(({ table }) => table);
  return new Set([...Object.keys(state?.tables ?? {}), ...Object.keys(catalog?.tables ?? {}), ...noted]);
}

const writeState = (folder: string, connectionId: string, tables: ReadonlyMap<string, MirrorTable>) =>
  replace(
    join(folder, STATE_FILE),
    JSON.stringify({ version: STATE_VERSION, connectionId, tables: Object.fromEntries(tables) }),
  );

/** Flushes the file to disk before it gets its final name. */
async function replace(file: string, text: string): Promise<void> {
  const aside = `${file}.part`;
  const handle = await open(aside, 'w');
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await whenFreeLater(() => rename(aside, file));
}

/**
 * A file that this program wrote, complete or not. Other programs that write Parquet use names like `part-0.parquet`.
 */
const OWN_FILE = /^part-[0-9a-f]{16}-[0-9a-f]{8}\.parquet(?:\.\d+\.part)?$/;

/**
 * Removes files of this program that no table contains any more. Does not touch other files, or folders that were not
 * those of a table.
 */
async function removeOthers(
  folder: string,
  earlier: ReadonlySet<string>,
  tables: ReadonlyMap<string, MirrorTable>,
): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  const own = entries.filter(
    (entry) => entry.isDirectory() && (earlier.has(entry.name) || tables.has(entry.name)),
  );
  for (const { name: table } of own) {
    const kept = new Set(tables.get(table)?.parts.map(({ file }) => file));
    const files = await readdir(join(folder, table), { withFileTypes: true });
    const left = files.filter((file) => file.isFile() && OWN_FILE.test(file.name) && !kept.has(file.name));
    for (const { name } of left) await rm(join(folder, table, name), WITH_RETRIES);
    if (left.length > 0 && left.length === files.length) await rm(join(folder, table), WITH_RETRIES);
  }
}

/** Throws NOT_STORED if there is no catalog any more. */
export async function readCatalog(folder: string): Promise<MirrorCatalog> {
  const value = await jsonIn(join(folder, CATALOG_FILE));
  if (!catalogHead.safeParse(value).success)
    throw new AppError('NOT_STORED', `${basename(folder)} no longer holds a mirror. Write it again.`);
  // The cast is safe enough, because this program wrote the catalog and it is only displayed.
  return value as MirrorCatalog;
}

const jsonIn = async (file: string): Promise<unknown> => parsed(await readFile(file, 'utf8').catch(() => ''));

/** Returns undefined for a text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
