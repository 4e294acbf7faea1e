/**
 * The library with 1,000,000 entities and 200,000 spans in one store: the time of a search in the search thread,
 * compared with LIKE; and the time that the main process needs to store a page and record it for the index.
 */
import { statSync } from 'node:fs';
import { loadavg } from 'node:os';
import BetterSqlite from 'better-sqlite3';
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { openSearchIndex, type SearchIndex } from '../../electron/db/search-index.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { MAX_COUNTED_HITS } from '../../electron/shared/search-contract.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { cpuMs, ENTITIES, fill, SPANS, type Times, timesOf } from '../helpers/large-library.ts';
import { percentile } from '../helpers/percentile.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const SEARCH_MS = 10;
const SHORT_MS = 150;
const PAGE_MS = 10;
const TIMES_FASTER = 20;

const ofCpu = ({ cpu }: Times, part: number) => `CPU ${percentile(cpu, part).toFixed(1)} ms`;

/**
 * Texts to search for: complete words, parts of words, ids, two words, all from the same store; rarely one that does
 * not occur.
 */
function questions(some: readonly string[]): { long: string[]; short: string[] } {
  const at = (index: number) => some[index % some.length] ?? '';
  const long = Array.from({ length: 120 }, (_, index) => {
    const word = at(index * 47 + 11);
    return [
      word,
      word.slice(0, 4),
      word.slice(1, 6),
      `${7_000 + index * 4_001}`,
      `${word} ${at(index * 5)}`,
      `${word}zq`,
    ][index % 6];
  }).flatMap((typed) => (typed !== undefined && [...typed].length >= 3 ? [typed] : []));
  const short = Array.from({ length: 30 }, (_, index) =>
    [...at(index * 97)].slice(0, 1 + (index % 2)).join(''),
  );
  return { long, short: [...short, 'q', 'x', '_', '金', 'ق', '🙂', 'zz'] };
}

function byLike(file: string): { find: (typed: string) => void; close: () => void } {
  const db = new BetterSqlite(file, { readonly: true });
  const like = db
    .prepare(
      `SELECT position FROM list_row JOIN generation ON generation.id = generation_id JOIN list ON list.id = list_id
       WHERE json_extract(list.query, '$.operation') = ? AND record LIKE ? LIMIT ?`,
    )
    .pluck();
  const find = (typed: string) => {
    for (const operation of ['catalog.list', 'spans.query'])
      like.all(operation, `%${typed}%`, MAX_COUNTED_HITS + 1);
  };
  return { find, close: () => db.close() };
}

function build(index: SearchIndex): { ms: number; cpu: number; longestMs: number } {
  const [startedAt, cpuBefore] = [performance.now(), cpuMs()];
  let longestMs = 0;
  for (let isGoing = true; isGoing; ) {
    const before = performance.now();
    isGoing = index.step(1_000_000);
    longestMs = Math.max(longestMs, performance.now() - before);
  }
  return { ms: performance.now() - startedAt, cpu: cpuMs() - cpuBefore, longestMs };
}

export async function run(): Promise<BenchResult[]> {
  using folder = new DataFolder();
  const files = { libraryFile: folder.file('library.db'), indexFile: folder.file('search.db') };
  const options = { clock: systemClock, logger: silentLogger };
  const store = openLibraryStore({ file: files.libraryFile, ...options });
  const { storing, some } = fill(store);
  const index = openSearchIndex({ ...files, ...options });
  try {
    const built = build(index);
    const { long, short } = questions(some);
    const ask = { kind: null, applicationId: null, sinceMs: null, untilMs: null, offset: 0, limit: 3 };
    const find = (typed: string) => index.find({ ...ask, typed }, 140);
    timesOf(long.slice(0, 20), find);
    const indexed = timesOf(long, find);
    const shorts = timesOf(short, find);
    const cut = short.filter((typed) => find(typed).isCut);
    const like = byLike(files.libraryFile);
    const liked = timesOf(
      long.filter((_, at) => at % 4 === 0),
      like.find,
    );
    like.close();
    const megabytes = (file: string) => Math.round(statSync(file).size / 1e6);
    const rows = `${(ENTITIES + SPANS).toLocaleString('en-US')} rows; load ${(loadavg()[0] ?? 0).toFixed(1)}`;
    return [
      result(
        'search, p50',
        percentile(indexed.wall, 0.5),
        'ms',
        SEARCH_MS,
        `${ofCpu(indexed, 0.5)}; ${rows}, ${long.length} questions`,
      ),
      result(
        'search, p95',
        percentile(indexed.wall, 0.95),
        'ms',
        SEARCH_MS,
        `${ofCpu(indexed, 0.95)}; ${rows}`,
      ),
      result(
        'one and two letters, p95',
        percentile(shorts.wall, 0.95),
        'ms',
        SHORT_MS,
        `${ofCpu(shorts, 0.95)}; ${cut.length} of ${short.length} cut`,
      ),
      result(
        'the same by LIKE, p50',
        percentile(liked.wall, 0.5),
        'ms',
        null,
        `${ofCpu(liked, 0.5)}; ${rows}`,
      ),
      result(
        'the same by LIKE, p95',
        percentile(liked.wall, 0.95),
        'ms',
        null,
        `${ofCpu(liked, 0.95)}; ${rows}`,
      ),
      result(
        'LIKE to search, p50',
        percentile(liked.cpu, 0.5) / percentile(indexed.cpu, 0.5),
        'times',
        null,
        `CPU; at least ${TIMES_FASTER}`,
      ),
      result(
        'LIKE to search, p95',
        percentile(liked.cpu, 0.95) / percentile(indexed.cpu, 0.95),
        'times',
        null,
        `CPU; at least ${TIMES_FASTER}`,
      ),
      result(
        'storing a page of 1,000 entities, p95',
        percentile(storing.wall, 0.95),
        'ms',
        PAGE_MS,
        `${ofCpu(storing, 0.95)}; main, with the note for the index`,
      ),
      result(
        'indexing everything',
        built.ms,
        'ms',
        null,
        `CPU ${built.cpu.toFixed(0)} ms; longest step ${built.longestMs.toFixed(0)} ms; in a thread`,
      ),
      result(
        'size of the index',
        megabytes(files.indexFile),
        'MB',
        null,
        `library ${megabytes(files.libraryFile)} MB`,
      ),
    ];
  } finally {
    index.close();
    store.close();
  }
}
