/** Rows that the analysis process has opened for profiles: sidecars, and small lists or samples in memory. */
import { readKept } from '../db/kept-tables.ts';
import { systemClock } from '../platform/system.ts';
import { openEngine } from './engine.ts';
import { readLines } from './lines-file.ts';
import { ProfiledRows } from './profile.ts';
import type { ProfiledSource } from './protocol.ts';
import { fill, readAbout, readRecords } from './sidecar-file.ts';
import { readUnion } from './union-rows.ts';

/** Maximum number of open sources. Beyond it, the least recently used one is closed. */
const MAX_OPEN = 3;

interface Open {
  rows: ProfiledRows;
  close(): void;
}

export class OpenRows {
  /** Open sources, the least recently used first. */
  readonly #open = new Map<string, Promise<Open>>();
  #last: Promise<unknown> = Promise.resolve();

  /** Queries run one at a time, because each uses all of the engine's memory. */
  use<T>(source: ProfiledSource, spillFolder: string, ask: (rows: ProfiledRows) => Promise<T>): Promise<T> {
    const asked = this.#last.then(async () => ask((await this.#opened(source, spillFolder)).rows));
    this.#last = asked.catch(() => undefined);
    return asked;
  }

  async #opened(source: ProfiledSource, spillFolder: string): Promise<Open> {
    const key = 'key' in source ? `${source.key} ${source.sample}` : source.file;
    const known = this.#open.get(key) ?? open(source, spillFolder);
    this.#open.delete(key);
    this.#open.set(key, known);
    known.catch(() => this.#open.delete(key));
    for (const [oldest, opened] of this.#open) {
      if (this.#open.size <= MAX_OPEN) break;
      this.#open.delete(oldest);
      (await opened).close();
    }
    return known;
  }
}

async function open(source: ProfiledSource, spillFolder: string): Promise<Open> {
  const isFile = source.form === 'sidecar';
  const {
    connection,
    spillFolder: ownFolder,
    close,
  } = await openEngine({
    spillFolder,
    ...(isFile ? { file: source.file, isReadOnly: true } : {}),
  });
  try {
    const { columns } = isFile
      ? await readAbout(connection)
      : await fill(connection, recordsOf(source), { spillFolder: ownFolder });
    return { rows: new ProfiledRows(connection, columns, 'rowid'), close };
  } catch (problem) {
    close();
    throw problem;
  }
}

function recordsOf(
  source: Exclude<ProfiledSource, { form: 'sidecar' }>,
): Iterable<readonly [number, string]> {
  if (source.form === 'lines') return readLines(source.file);
  if (source.form === 'kept') return readKept(source.kept, systemClock.nowMs(), source.sample ?? undefined);
  if (source.form === 'union')
    return readUnion(source.union.libraryFile, source.union.parts, source.sample ?? undefined);
  return readRecords(source.stored, source.sample === null ? {} : { sample: source.sample });
}
