/**
 * The library with 1,000,000 entities and 200,000 spans in one store: how long the search takes in the thread that
 * searches, beside the same by LIKE; how long main takes to store a page, noting it for the index.
 */
import { statSync } from 'node:fs';
import { loadavg } from 'node:os';
import BetterSqlite from 'better-sqlite3';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { openSearchIndex, type SearchIndex } from '../../electron/db/search-index.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { MOST_COUNTED_HITS } from '../../electron/shared/search-contract.ts';
import { type BenchResult, result } from '../helpers/bench-result.ts';
import { DataFolder } from '../helpers/data-folder.ts';
import { silentLogger } from '../helpers/virtual-world.ts';

const ENTITIES = 1_000_000;
const SPANS = 200_000;
const LISTS = 20;
const PAGE = 1_000;
const SEARCH_MS = 10;
const SHORT_MS = 150;
const PAGE_MS = 10;
const TIMES_FASTER = 20;

/** Words of a given seed: the same in every run. */
function words(): { word: () => string; some: string[] } {
  let state = 42;
  const next = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const parts =
    'ra,fun,vou,cher,ti,cket,pay,ment,ser,vice,que,ry,mo,del,ag,ent,cha,rge,или,зак,返金,注文,قسي,acc'.split(
      ',',
    );
  const all = Array.from({ length: 6_000 }, () =>
    Array.from({ length: 2 + next(3) }, () => parts[next(parts.length)]).join(''),
  );
  // A few words are in many rows, most in few.
  const word = () => all[Math.floor(all.length * (next(1_000_000) / 1_000_000) ** 3)] ?? '';
  return { word, some: all };
}

/** Also what another benchmark starts from. */
export function fill(store: LibraryStore): { storing: Times; some: string[] } {
  const { word, some } = words();
  const storing: Times = { wall: [], cpu: [] };
  const rowsOf = {
    entity: (at: number) => ({
      name: `app.${word()}.${word()}_${at}`,
      semantic_name: 'UNKNOWN',
      data_type: 'string',
      first_seen: '2026-01-01T00:00:00Z',
      last_seen: '2026-02-01T00:00:00Z',
      row_count: at,
    }),
    span: (at: number) => ({
      span_id: `span-${at}`,
      trace_id: `trace-${at >> 3}`,
      name: word(),
      span_type: 'llm',
      start_time: '2026-02-01T00:00:00Z',
      input: Array.from({ length: 25 }, word).join(' '),
      output: Array.from({ length: 25 }, word).join(' '),
      span_attributes: { 'llm.model': word(), 'user.id': `u-${at}` },
    }),
  };
  const add = (kind: 'entity' | 'span', list: number, count: number) => {
    const application_id = `application-${list}`;
    const query =
      kind === 'entity'
        ? { operation: 'catalog.list', path: { application_id }, query: {} }
        : { operation: 'spans.query', path: {}, query: {}, body: { application_id } };
    const { id } = store.lists.open(`${kind} ${list}`, JSON.stringify(query));
    const generation = store.lists.begin(id, true);
    for (let offset = 0; offset < count; offset += PAGE) {
      const rows = Array.from({ length: PAGE }, (_, index) => {
        const record = rowsOf[kind](list * count + offset + index);
        const text = Object.values(record).join(' ');
        const identity = 'span_id' in record ? record.span_id : record.name;
        return {
          identity,
          shownText: text.length > 1_000 ? null : text,
          record: JSON.stringify(record),
          textId: null,
        };
      });
      const page = { offset, rows, total: count, receivedAtMs: 1, requestId: 'r' };
      const stored = timesOf([''], () => store.lists.append(generation.id, page, offset + PAGE === count));
      if (kind !== 'entity') continue;
      storing.wall.push(...stored.wall);
      storing.cpu.push(...stored.cpu);
    }
  };
  for (let list = 0; list < LISTS; list += 1) {
    add('entity', list, ENTITIES / LISTS);
    add('span', list, SPANS / LISTS);
  }
  return { storing, some };
}

function share(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0;
}

/** Of this process alone: on a machine that others use, the wall clock says little. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

interface Times {
  wall: number[];
  cpu: number[];
}

function timesOf(typed: readonly string[], find: (typed: string) => unknown): Times {
  const times: Times = { wall: [], cpu: [] };
  for (const each of typed) {
    const [startedAt, before] = [performance.now(), cpuMs()];
    find(each);
    times.wall.push(performance.now() - startedAt);
    times.cpu.push(cpuMs() - before);
  }
  return times;
}

const ofCpu = ({ cpu }: Times, part: number) => `CPU ${share(cpu, part).toFixed(1)} ms`;

/** What is typed: whole words, their parts, ids, two words, in letters of the same store; seldom what is not there. */
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
      like.all(operation, `%${typed}%`, MOST_COUNTED_HITS + 1);
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
        share(indexed.wall, 0.5),
        'ms',
        SEARCH_MS,
        `${ofCpu(indexed, 0.5)}; ${rows}, ${long.length} questions`,
      ),
      result('search, p95', share(indexed.wall, 0.95), 'ms', SEARCH_MS, `${ofCpu(indexed, 0.95)}; ${rows}`),
      result(
        'one and two letters, p95',
        share(shorts.wall, 0.95),
        'ms',
        SHORT_MS,
        `${ofCpu(shorts, 0.95)}; ${cut.length} of ${short.length} cut`,
      ),
      result('the same by LIKE, p50', share(liked.wall, 0.5), 'ms', null, `${ofCpu(liked, 0.5)}; ${rows}`),
      result('the same by LIKE, p95', share(liked.wall, 0.95), 'ms', null, `${ofCpu(liked, 0.95)}; ${rows}`),
      result(
        'LIKE to search, p50',
        share(liked.cpu, 0.5) / share(indexed.cpu, 0.5),
        'times',
        null,
        `CPU; at least ${TIMES_FASTER}`,
      ),
      result(
        'LIKE to search, p95',
        share(liked.cpu, 0.95) / share(indexed.cpu, 0.95),
        'times',
        null,
        `CPU; at least ${TIMES_FASTER}`,
      ),
      result(
        'storing a page of 1,000 entities, p95',
        share(storing.wall, 0.95),
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
