/**
 * A store with 1,000,000 entities and 200,000 spans of 20 applications, and a data folder with one connection that has
 * this store and works offline. `LIBRARY_ENTITIES=10000000 LIBRARY_LISTS=2` makes another number of entities, and of
 * applications. `LIBRARY_FOLDER=DIR` keeps the folder and its search index for later runs.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { openAppStore } from '../../electron/db/app-store.ts';
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { openSearchIndex } from '../../electron/db/search-index.ts';
import { canonicalQuery, keyOf } from '../../electron/library/list-query.ts';
import { dataPaths } from '../../electron/platform/paths.ts';
import { systemClock } from '../../electron/platform/system.ts';
import type { ListQuery } from '../../electron/shared/model.ts';
import { DataFolder } from './data-folder.ts';
import { silentLogger } from './virtual-world.ts';

export const ENTITIES = Number(process.env['LIBRARY_ENTITIES'] ?? 1_000_000);
export const SPANS = 200_000;
/** Number of lists of entities, and of lists of spans. */
export const LISTS = Number(process.env['LIBRARY_LISTS'] ?? 20);
/** Space that lets the application keep all lists, because they were only opened. */
const MAX_LIST_BYTES = 100_000_000_000;
const PAGE = 1_000;
const INDEX_STEP = 1_000_000;
const CONNECTION_ID = '00000000-0000-4000-8000-000000000001';

/** Processor time of this process alone, because wall time says little on a shared machine. */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

export interface Times {
  wall: number[];
  cpu: number[];
}

export function timesOf(typed: readonly string[], find: (typed: string) => unknown): Times {
  const times: Times = { wall: [], cpu: [] };
  for (const each of typed) {
    const [startedAt, before] = [performance.now(), cpuMs()];
    find(each);
    times.wall.push(performance.now() - startedAt);
    times.cpu.push(cpuMs() - before);
  }
  return times;
}

/** Words from a fixed seed, so that they are the same in every run. */
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
  // Makes some words occur in many rows, and most words in few.
  const word = () => all[Math.floor(all.length * (next(1_000_000) / 1_000_000) ** 3)] ?? '';
  return { word, some: all };
}

/** Fills the store. Returns the time for each page of entities, and some words of the rows. */
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
    const application_id = applicationOf(list);
    const query = canonicalQuery(
      kind === 'entity'
        ? { operation: 'catalog.list', path: { application_id }, query: {} }
        : { operation: 'spans.query', path: {}, query: {}, body: { application_id } },
    );
    const { id } = store.lists.open(keyOf(CONNECTION_ID, query), JSON.stringify(query));
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
  addApplications(store);
  return { storing, some };
}

export const applicationOf = (list: number): string => `application-${list}`;

function addApplications(store: LibraryStore): void {
  const query: ListQuery = canonicalQuery({ operation: 'applications.list', path: {}, query: {} });
  const { id } = store.lists.open(keyOf(CONNECTION_ID, query), JSON.stringify(query));
  const rows = Array.from({ length: LISTS }, (_, list) => {
    const record = {
      id: applicationOf(list),
      name: `Application ${list}`,
      updated_at: '2026-02-01T00:00:00Z',
    };
    return { identity: record.id, shownText: null, record: JSON.stringify(record), textId: null };
  });
  const page = { offset: 0, rows, total: rows.length, receivedAtMs: 1, requestId: 'r' };
  store.lists.append(store.lists.begin(id, true).id, page, true);
}

/**
 * Makes a data folder with one connection that works offline. Returns the path of its library, which does not exist
 * yet.
 */
export function prepareFolder(folder: string): string {
  const paths = dataPaths(folder);
  const store = openAppStore({ file: paths.appDb, clock: systemClock, logger: silentLogger });
  store.saveConnection({
    ...{ id: CONNECTION_ID, name: 'Staging', baseUrl: 'https://spandeck.invalid/', kind: 'service' },
    ...{ colour: 'teal', isReadOnly: false, allowsPlainHttp: false, proxyUrl: null, extraCaFile: null },
    ...{ tokenStorage: 'memory', tokenHint: null, createdAtMs: 1 },
  });
  store.saveSettings({
    activeConnectionId: CONNECTION_ID,
    worksOffline: true,
    mostListBytes: MAX_LIST_BYTES,
  });
  store.close();
  const file = paths.libraryDb(CONNECTION_ID);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

/** A folder with everything stored and indexed, and the words of its rows. Deleted when disposed, unless it is kept. */
export function indexedFolder(): { path: string; some: string[]; [Symbol.dispose]: () => void } {
  const kept = process.env['LIBRARY_FOLDER'];
  const folder = kept === undefined ? new DataFolder() : null;
  const path = kept ?? folder?.path ?? '';
  const some = words().some;
  const indexFile = dataPaths(path).searchDb(CONNECTION_ID);
  if (!existsSync(indexFile)) {
    const { libraryFile } = fillFolder(path);
    const built = openSearchIndex({ libraryFile, indexFile, clock: systemClock, logger: silentLogger });
    while (built.step(INDEX_STEP));
    built.close();
  }
  return { path, some, [Symbol.dispose]: () => folder?.[Symbol.dispose]() };
}

/** The same, with everything stored. */
export function fillFolder(folder: string): { libraryFile: string; indexFile: string; some: string[] } {
  const libraryFile = prepareFolder(folder);
  const store = openLibraryStore({ file: libraryFile, clock: systemClock, logger: silentLogger });
  const { some } = fill(store);
  store.close();
  return { libraryFile, indexFile: dataPaths(folder).searchDb(CONNECTION_ID), some };
}

/** One tab for each application. The first one is active. */
export function tabsOfAll(): { list: object[]; activeId: string } {
  const list = Array.from({ length: LISTS }, (_, at) => ({
    ...{ id: String(at), kind: 'catalog', title: `Application ${at}` },
    params: { applicationId: applicationOf(at), applicationName: `Application ${at}` },
  }));
  return { list, activeId: '0' };
}

export const layoutFile = (folder: string): string => dataPaths(folder).layoutFile(CONNECTION_ID);
