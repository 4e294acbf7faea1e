/** Rows written into a library as if they had been read from the service. */
import type { LibraryStore } from '../../electron/db/library-store.ts';
import { shownTextOf } from '../../electron/shared/text-filter.ts';

const PAGE = 1_000;
const COUNTRIES = ['Germany', 'France', 'Spain', 'Italy', 'Austria', 'Poland', 'Japan', 'Chile'];

/** A number below `below` that looks random and is always the same for `at`. */
export const spread = (at: number, below: number): number => (Math.imul(at, 2_654_435_761) >>> 0) % below;

export function twentyColumns(at: number): Record<string, unknown> {
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

/** Writes a complete list, page by page. Returns its generation. */
export function storeRows(
  { lists }: Pick<LibraryStore, 'lists'>,
  list: { key: string; query: object; rows: number; rowOf: (at: number) => object },
): number {
  const { key, query, rows, rowOf } = list;
  const generation = lists.begin(lists.open(key, JSON.stringify(query)).id, true);
  for (let offset = 0; offset < rows; offset += PAGE) {
    const page = Array.from({ length: Math.min(PAGE, rows - offset) }, (_, index) => {
      const row = rowOf(offset + index);
      const shownText = shownTextOf({ ...row });
      return { identity: String(offset + index), shownText, record: JSON.stringify(row), textId: null };
    });
    const answer = { offset, rows: page, total: rows, receivedAtMs: 1, requestId: 'r' };
    lists.append(generation.id, answer, offset + PAGE >= rows);
  }
  return generation.id;
}
