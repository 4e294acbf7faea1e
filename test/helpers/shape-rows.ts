/** A library for `bench -- shape`, created in a process of its own: `node shape-rows.ts FILE ROWS WIDE_ROWS`. */
import { type LibraryStore, openLibraryStore } from '../../electron/db/library-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { silentLogger } from './virtual-world.ts';

const PAGE = 1_000;
const COUNTRIES = ['Germany', 'France', 'Spain', 'Italy', 'Austria', 'Poland', 'Japan', 'Chile'];

const spread = (at: number, below: number): number => (Math.imul(at, 2_654_435_761) >>> 0) % below;

function twentyColumns(at: number): Record<string, unknown> {
  return {
    id: at,
    country: COUNTRIES[spread(at, 97) % COUNTRIES.length],
    amount: spread(at, 100_000) / 100,
    count: spread(at + 1, 500),
    share: spread(at + 2, 1_000) / 1_000,
    at: new Date(1_760_000_000_000 + spread(at + 3, 8_000_000) * 1_000).toISOString(),
    isMember: at % 3 === 0,
    note: at % 5 === 0 ? null : `note ${spread(at, 4_000)}`,
    deep: { city: `city ${spread(at + 4, 300)}`, score: spread(at + 5, 10_000) / 10 },
    ...(at % 4 === 0 ? {} : { model: `model-${spread(at + 6, 12)}` }),
    ...Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [
        `field_${index}`,
        index % 2 === 0 ? spread(at + index, 1_000) : `text ${spread(at + index, 200)}`,
      ]),
    ),
  };
}
const manyColumns = (count: number) => (at: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, spread(at + index, 1_000)]));

function store(library: LibraryStore, name: string, rows: number, rowOf: (at: number) => object): void {
  const query = { operation: `${name}.list`, path: {}, query: {} };
  const { id } = library.lists.open(name, JSON.stringify(query));
  const generation = library.lists.begin(id, true);
  for (let offset = 0; offset < rows; offset += PAGE) {
    const page = Array.from({ length: PAGE }, (_, index) => {
      const record = JSON.stringify(rowOf(offset + index));
      return { identity: String(offset + index), shownText: null, record, textId: null };
    });
    const answer = { offset, rows: page, total: rows, receivedAtMs: 1, requestId: 'r' };
    library.lists.append(generation.id, answer, offset + PAGE >= rows);
  }
}

const [, , file = '', rows, wideRows] = process.argv;
const library = openLibraryStore({ file, clock: systemClock, logger: silentLogger });
store(library, 'rows', Number(rows), twentyColumns);
store(library, 'others', Number(rows), (at) => ({ id: at, weight: spread(at, 900) }));
store(library, 'narrow', Number(wideRows), manyColumns(20));
store(library, 'wide', Number(wideRows), manyColumns(200));
library.close();
