/** Writes items of a dataset as table rows. A first pass over the records finds the columns, a second one writes. */

import { delimitedLine } from '../shared/delimited.ts';
import { parseExact, writeExact } from '../shared/exact-json.ts';
import { CELLS_COLUMN, CSV_CELLS, ItemTable } from '../shared/item-cells.ts';

type Records = () => AsyncIterable<string> | Iterable<string>;

/** Reads every record once. */
export async function itemTable(records: Records): Promise<ItemTable> {
  const table = new ItemTable();
  for await (const text of records()) table.add(parseExact(text));
  return table;
}

/** Lines of CSV, the header first. */
export async function* itemLines(
  records: Records,
  table: ItemTable,
  isExact: boolean,
): AsyncGenerator<string> {
  const mark = isExact ? CSV_CELLS.exact : CSV_CELLS.guarded;
  yield delimitedLine([...table.names, CELLS_COLUMN], { isExact });
  for await (const text of records())
    yield delimitedLine([...table.cells(parseExact(text)), mark], { isExact });
}

/** Flat records for typed formats, with their positions. */
export function* typedItems(records: Iterable<string>, table: ItemTable): Generator<[number, string]> {
  let position = 0;
  for (const text of records) {
    yield [position, writeExact(table.typedRow(parseExact(text)))];
    position += 1;
  }
}
