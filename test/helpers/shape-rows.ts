/** Creates a library for `bench -- shape`, in a separate process: `node shape-rows.ts FILE ROWS WIDE_ROWS`. */
import { openLibraryStore } from '../../electron/db/library-store.ts';
import { systemClock } from '../../electron/platform/system.ts';
import { spread, storeRows, twentyColumns } from './stored-rows.ts';
import { silentLogger } from './virtual-world.ts';

const manyColumns = (count: number) => (at: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, spread(at + index, 1_000)]));

const [, , file = '', rows, wideRows] = process.argv;
const library = openLibraryStore({ file, clock: systemClock, logger: silentLogger });
const store = (name: string, count: number, rowOf: (at: number) => object) =>
  storeRows(library, {
    ...{ key: name, query: { operation: `${name}.list`, path: {}, query: {} } },
    ...{ rows: count, rowOf },
  });
store('rows', Number(rows), twentyColumns);
store('others', Number(rows), (at) => ({ id: at, weight: spread(at, 900) }));
store('narrow', Number(wideRows), manyColumns(20));
store('wide', Number(wideRows), manyColumns(200));
library.close();
