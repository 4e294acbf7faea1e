/** Searches the fake rows with the texts, match positions and order of the product. */
import {
  documentOf,
  fieldsOf,
  kindOf,
  noteOf,
  STORED_KINDS,
  type StoredKind,
  searchedText,
  targetOf,
} from '../../../electron/core/search/documents.ts';
import { foldForSearch, rangesOf, snippetOf } from '../../../electron/core/search/fold.ts';
import { rankHits } from '../../../electron/core/search/rank.ts';
import { matchesTerms, parseTerms } from '../../../electron/core/search/terms.ts';
import type { ParsedArgs } from '../../../electron/shared/contract.ts';
import type { ListQuery } from '../../../electron/shared/model.ts';
import type { SearchAnswer, SearchGroup, SearchHit } from '../../../electron/shared/search-contract.ts';
import { UNREACHABLE } from './lists.ts';
import { type Json, ROWS } from './records.ts';
import { NOW, scenario } from './scenario.ts';

/** Maximum number of fake rows searched per list. */
const MAX_ROWS = 1_000;

interface Stored {
  kind: StoredKind;
  query: ListQuery;
  position: number;
  record: Json;
}

function storedRows(): Stored[] {
  if (scenario.search === 'empty') return [];
  const applicationId = String(ROWS['applications.list']?.make(0)['id']);
  const datasetId = String(ROWS['datasets.list']?.make(0)['id']);
  return Object.entries(ROWS).flatMap(([operation, { total, make }]) => {
    const kind = kindOf(operation);
    if (kind === null) return [];
    const path: Record<string, string> =
      kind === 'names' || kind === 'values'
        ? { application_id: applicationId }
        : kind === 'items'
          ? { dataset_id: datasetId }
          : {};
    const query: ListQuery = { operation, path, query: {}, body: { application_id: applicationId } };
    return Array.from({ length: Math.min(total, MAX_ROWS) }, (_, at) => ({
      ...{ kind, query, position: at },
      record: make(at),
    }));
  });
}

/** Uploads, which are not in a list. */
const UPLOADS: SearchGroup = {
  kind: 'uploads',
  hits: [
    {
      ...{ id: 'uploads 1', kind: 'uploads', title: 'refunds.csv', titleRanges: [], place: '', atMs: NOW },
      ...{ found: null, note: '1,000 rows sent', target: { job: 'j', name: 'refunds.csv' }, row: null },
    },
  ],
  count: 1,
  hasMore: false,
  reach: { storedRows: 1, isAtLeast: false, totalRows: 1, isComplete: true, oldestMs: NOW },
};

export function search(request: ParsedArgs<'library:search'>): SearchAnswer {
  if (scenario.search === 'failed') throw UNREACHABLE;
  const terms = parseTerms(request.typed);
  const name = String(ROWS['applications.list']?.make(0)['name']);
  const rows = storedRows();
  const groups = STORED_KINDS.filter((kind) => (request.kind ?? kind) === kind).map((kind): SearchGroup => {
    const own = rows.filter((row) => row.kind === kind);
    const found = own.flatMap((row, id) => {
      const { title, fields, atMs } = documentOf(kind, row.query, row.record);
      if (terms === null || !matchesTerms(searchedText(fields), terms)) return [];
      return [{ ...row, id, shown: title, title: foldForSearch(title), atMs }];
    });
    const wanted = terms?.wanted ?? [];
    const hits = rankHits(found, terms ?? { wanted: [], unwanted: [] }).map(
      ({ query, position, record, id, shown, atMs }): SearchHit => {
        const titleRanges = rangesOf(shown, wanted);
        const field = fieldsOf(kind, record).find(({ text }) => rangesOf(text, wanted).length > 0);
        const place = kind === 'resources' ? '' : kind === 'items' ? 'Refund questions' : name;
        return {
          ...{ id: `${kind} ${id}`, kind, title: shown, titleRanges, place, atMs },
          found:
            titleRanges.length > 0 || field === undefined
              ? null
              : { field: field.field, ...snippetOf(field.text, wanted) },
          note: noteOf(kind, query, record),
          target: {
            ...targetOf(kind, query, record),
            applicationName: name,
            datasetName: 'Refund questions',
          },
          row: { query, position: scenario.search === 'gone' ? 10_000_000 : position },
        };
      },
    );
    return {
      kind,
      hits: hits.slice(request.offset, request.offset + request.limit),
      count: Math.min(500, hits.length),
      hasMore: hits.length > 500,
      reach: {
        storedRows: own.length,
        isAtLeast: false,
        totalRows: kind === 'names' ? own.length * 2 : own.length,
        isComplete: kind !== 'names' && own.length > 0,
        oldestMs: own.length === 0 ? null : NOW - 3_600_000,
      },
    };
  });
  if (scenario.search === 'gone') groups.push(UPLOADS);
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const id = String(ROWS['applications.list']?.make(0)['id']);
  return {
    groups,
    applications: count === 0 ? [] : [{ id, name, count }],
    rowsLeft: scenario.search === 'indexing' ? 41_210 : 0,
    isCut: false,
    near: count === 0 && request.typed === 'refnud' ? ['refund'] : [],
    tookMs: 4.2,
  };
}
