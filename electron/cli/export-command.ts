/** `export RESOURCE [ID] --output FILE`: a list, whole, as CSV, JSON Lines or Parquet, with a manifest beside it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { systemClock } from '../platform/system.ts';
import { AppError } from '../shared/errors.ts';
import type { ListQuery } from '../shared/model.ts';
import type { SqlColumn, SqlView } from '../shared/sql-model.ts';
import { chosenList } from './chosen-list.ts';
import type { CommandContext } from './context.ts';
import { counted, sizeText } from './human-text.ts';
import { csvText, fileFormat, writeWhole } from './row-files.ts';

const OWN_FLAGS = ['output', 'exact'];
const READ_ROWS = 200;

/** What was written, beside the file as FILE.manifest.json. Times are ISO 8601 in UTC. */
interface ExportManifest {
  file: string;
  sizeBytes: number;
  sha256: string;
  exportedAt: string;
  /** The question that the list answers, its filter and time range with it. */
  source: { baseUrl: string } & ListQuery;
  rows: number;
  /** Whether these are all rows that the service had. */
  complete: boolean;
  /** When the oldest of the rows was read. */
  asOf: string | null;
  columns: readonly { name: string; type?: string }[];
}

/** What a format says of what it wrote. */
type Written = Pick<ExportManifest, 'rows' | 'columns'>;

export async function exportList(context: CommandContext): Promise<void> {
  const { args, output } = context;
  const typed = args.text('output');
  if (typed === null || typed === '') throw new AppError('INVALID_ARGUMENT', 'export expects --output FILE.');
  const path = resolve(typed);
  const format = fileFormat(path);
  const query = await chosenList(context, OWN_FLAGS);
  if (!args.isOffline) await readToItsEnd(context, query);
  const view = await storedView(context, query);
  const written = await FORMATS[format](context, view, path);
  const manifest = await manifestOf(context, view, path, written);
  await writeWhole(`${path}.manifest.json`, oneText(`${JSON.stringify(manifest, null, 2)}\n`));
  output.answer(manifest, () => [
    `Wrote ${counted(manifest.rows, 'row')} (${sizeText(manifest.sizeBytes)}) to ${typed}, with ${basename(path)}.manifest.json beside it.`,
    ...(manifest.complete ? [] : ['Not all of the list is stored: this is what there is.']),
  ]);
}

/** At the priority of what nobody waits for. Pages that came stay: the next export goes on from there. */
async function readToItsEnd({ session, output, signal }: CommandContext, query: ListQuery): Promise<void> {
  const { library, client } = await session();
  await library.readWhole({
    query,
    form: 'list',
    generationId: null,
    notBeforeMs: systemClock.nowMs() - FRESH_MS,
    until: 'end',
    client,
    group: 'export',
    signal,
    onProgress: ({ rows, totalRows }) =>
      output.progress(`read: ${counted(rows, 'row')}${totalRows === null ? '' : ` of ${totalRows}`}`),
  });
}

/** What was read whole so shortly before is not read again. */
const FRESH_MS = 15 * 60_000;

async function storedView({ session }: CommandContext, query: ListQuery): Promise<SqlView> {
  const { library, sql } = await session();
  const key = library.keyOf(query);
  const found = sql.views().find((view) => library.keyOf(view.query) === key);
  if (found !== undefined) return found;
  throw new AppError('NOT_STORED', 'This was never read on this computer. Run it once without --offline.');
}

const FORMATS = {
  csv: async (context: CommandContext, { name }: SqlView, path: string): Promise<Written> => {
    const { sql } = await context.session();
    const textOf = csvText(context.args.flag('exact'));
    let rows = 0;
    let columns: SqlColumn[] = [];
    async function* parts() {
      for await (const page of sql.read(`FROM ${name}`, context.signal)) {
        columns = page.columns;
        rows += page.rows.length;
        yield textOf(page);
        context.output.progress(`written: ${counted(rows, 'row')}`);
      }
    }
    await writeWhole(path, parts());
    return { rows, columns };
  },
  parquet: async (context: CommandContext, { name }: SqlView, path: string): Promise<Written> => {
    const { sql } = await context.session();
    let columns: SqlColumn[] = [];
    for await (const page of sql.read(`FROM ${name} LIMIT 0`, context.signal)) columns = page.columns;
    return { rows: await sql.writeParquet(`FROM ${name}`, path, context.signal), columns };
  },
  /** Records as the service answered them, nested, with all digits. */
  jsonl: async (context: CommandContext, view: SqlView, path: string): Promise<Written> => {
    const { query } = view;
    const { library } = await context.session();
    const names = new Set<string>();
    let rows = 0;
    async function* parts() {
      for (let from = 0; ; ) {
        if (context.signal.aborted) throw new AppError('CANCELLED', 'Stopped. No file was written.');
        const page = await library.readStored(query, from, READ_ROWS);
        const last = page.at(-1);
        if (last === undefined) {
          await checkUnchanged(context, view);
          return;
        }
        from = last.position + 1;
        rows += page.length;
        for (const { record } of page) for (const name of Object.keys(record)) names.add(name);
        yield page.map(({ record }) => `${JSON.stringify(record)}\n`).join('');
        context.output.progress(`written: ${counted(rows, 'row')}`);
      }
    }
    await writeWhole(path, parts());
    return { rows, columns: [...names].map((name) => ({ name })) };
  },
};

/** Another window or command may have read the list anew meanwhile: the file would hold rows of both. */
async function checkUnchanged(context: CommandContext, before: SqlView): Promise<void> {
  const now = await storedView(context, before.query);
  if (now.storedRows === before.storedRows && now.oldestMs === before.oldestMs) return;
  throw new AppError(
    'CONFLICT',
    'The list was read anew while it was written, so no file was made. Run the export again.',
  );
}

async function manifestOf(
  { session }: CommandContext,
  { query, isComplete, oldestMs }: SqlView,
  path: string,
  { rows, columns }: Written,
): Promise<ExportManifest> {
  const { connection } = await session();
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return {
    file: basename(path),
    sizeBytes: (await stat(path)).size,
    sha256: hash.digest('hex'),
    exportedAt: new Date(systemClock.nowMs()).toISOString(),
    source: { baseUrl: connection.baseUrl, ...query },
    rows,
    complete: isComplete,
    asOf: oldestMs === null ? null : new Date(oldestMs).toISOString(),
    columns,
  };
}

async function* oneText(text: string) {
  yield await Promise.resolve(text);
}
