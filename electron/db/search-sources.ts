/** The shown lists as the search needs them: how much of each is stored, and names for ids. */
import { wallMs } from '../core/jobs/job-record.ts';
import { readable } from '../core/readable.ts';
import { kindOf, type StoredKind } from '../core/search/documents.ts';
import { type ListQuery, listQuery } from '../shared/model.ts';
import { parseRecord } from '../shared/record-parts.ts';
import { scopeOfList } from '../shared/record-scope.ts';
import type { SearchReach } from '../shared/search-contract.ts';
import * as z from '../shared/zod.ts';
import { type Database, parseRow } from './open.ts';
import { json } from './row-parts.ts';

export interface Source {
  generationId: number;
  /** Changes whenever the rows change. */
  revision: number;
  kind: StoredKind;
  query: ListQuery;
  /** The application that all rows belong to; null if there is no single one. */
  applicationId: string | null;
  rowCount: number;
  totalRows: number | null;
  isComplete: boolean;
  oldestMs: number | null;
}

const shownRow = z.object({
  id: z.int(),
  query: json(listQuery),
  revision: z.int(),
  row_count: z.int(),
  total_rows: z.int().nullable(),
  is_complete: z.int(),
  oldest_ms: wallMs.nullable(),
});
const text = z.string();

/** Operations whose lists provide names for ids. */
const NAMING: ReadonlySet<string> = new Set(['applications.list', 'datasets.list', 'experiments.list']);
const MAX_NAMES = 2_000;
/** Maximum rows of lists that are compared because they may contain the same records. */
const MAX_COMPARED = 50_000;

/** Drops lists of a single entity type if there is a list of all types, which includes their rows. */
function withoutParts(sources: readonly Source[]): Source[] {
  const isOfAll = ({ query: { operation, query } }: Source) =>
    operation === 'catalog.list' && query['entity_type'] === undefined;
  const applicationOf = ({ query: { path } }: Source) => path['application_id'];
  const partsOf = (whole: Source) =>
    sources.filter(
      (each) =>
        each.query.operation === 'catalog.list' &&
        !isOfAll(each) &&
        applicationOf(each) === applicationOf(whole),
    );
  const left = new Set<Source>();
  for (const whole of sources.filter(isOfAll)) {
    const parts = partsOf(whole);
    const isMost =
      whole.isComplete || whole.rowCount >= parts.reduce((sum, { rowCount }) => sum + rowCount, 0);
    for (const each of isMost ? parts : [whole]) left.add(each);
  }
  return sources.filter((each) => !left.has(each));
}

/** Groups lists of the same scope; a list without a scope is alone in its group. */
function byScope(sources: readonly Source[]): Source[][] {
  const lists = new Map<unknown, Source[]>();
  for (const each of sources) {
    const scope = scopeOfList(each.query) ?? each;
    lists.set(scope, [...(lists.get(scope) ?? []), each]);
  }
  return [...lists.values()];
}

export class SearchSources {
  readonly #library: Database;
  readonly #shownRows;
  readonly #records;
  readonly #identities;
  readonly #queries = new Map<number, ListQuery>();
  #shown = new Map<number, Source>();
  #names = new Map<string, string>();
  /** Application of each dataset and experiment, by id. */
  #applications = new Map<string, string>();
  #version: unknown = null;
  #named = '';
  /** Number of different records, by the compared lists and their revisions. */
  #different = new Map<string, number>();

  constructor(library: Database) {
    this.#library = library;
    this.#shownRows = library.prepare(`
      SELECT generation.id, list.query, revision, row_count, total_rows, is_complete, oldest_ms
      FROM list JOIN generation ON generation.id = shown_generation_id ORDER BY list.id`);
    this.#records = library
      .prepare('SELECT record FROM list_row WHERE generation_id = ? ORDER BY position LIMIT ?')
      .pluck();
    this.#identities = library
      .prepare('SELECT identity FROM list_row WHERE generation_id = ? AND identity IS NOT NULL')
      .pluck();
  }

  /** Reads the changes since the last call. */
  renew(): void {
    const version = this.#library.pragma('data_version', { simple: true });
    if (version === this.#version) return;
    this.#version = version;
    const rows = readable(this.#shownRows.all(), (row) => parseRow(shownRow, row, 'list'));
    this.#readNames(rows);
    this.#shown = new Map();
    this.#different.clear();
    const known = new Set(rows.map(({ id }) => id));
    for (const id of this.#queries.keys()) if (!known.has(id)) this.#queries.delete(id);
    for (const row of rows) {
      const query = this.#queryOf(row);
      const kind = kindOf(query.operation);
      if (kind === null) continue;
      this.#shown.set(row.id, {
        generationId: row.id,
        revision: row.revision,
        kind,
        query,
        applicationId: this.#applicationOf(query),
        rowCount: row.row_count,
        totalRows: row.total_rows,
        isComplete: row.is_complete === 1,
        oldestMs: row.oldest_ms,
      });
    }
  }

  /** Null if no view would show the rows. */
  shown(generationId: number): Source | null {
    return this.#shown.get(generationId) ?? null;
  }

  nameOf(id: string): string | null {
    return this.#names.get(id) ?? null;
  }

  /** How much of a kind is stored. Of lists that differ only in selection or order, only the largest counts. */
  reachOf(kind: StoredKind, applicationId: string | null): SearchReach {
    const largest = new Map<string, Source>();
    for (const source of this.#shown.values()) {
      if (source.kind !== kind || source.rowCount === 0) continue;
      if (applicationId !== null && source.applicationId !== null && source.applicationId !== applicationId)
        continue;
      const { operation, path, query, body } = source.query;
      const { ordering: _, ...asked } = body ?? {};
      const key = JSON.stringify([operation, path, query['entity_type'], query['name'], asked]);
      if (source.rowCount > (largest.get(key)?.rowCount ?? 0)) largest.set(key, source);
    }
    const sources = withoutParts([...largest.values()]);
    const parts = byScope(sources).map((lists) => this.#extentOf(lists));
    const isTotalKnown = parts.every(({ total }) => total !== null);
    const oldest = sources.flatMap(({ oldestMs }) => oldestMs ?? []);
    return {
      storedRows: parts.reduce((sum, { stored }) => sum + stored, 0),
      isAtLeast: parts.some(({ isAtLeast }) => isAtLeast),
      totalRows: isTotalKnown ? parts.reduce((sum, { total }) => sum + (total ?? 0), 0) : null,
      isComplete: sources.length > 0 && sources.every(({ isComplete }) => isComplete),
      oldestMs: oldest.length === 0 ? null : Math.min(...oldest),
    };
  }

  /** Number of records in lists that may contain the same records. */
  #extentOf(lists: readonly Source[]): { stored: number; total: number | null; isAtLeast: boolean } {
    const [first, second] = lists;
    if (first === undefined) return { stored: 0, total: 0, isAtLeast: false };
    if (second === undefined) {
      const { rowCount, totalRows, isComplete } = first;
      const total = isComplete ? rowCount : totalRows === null ? null : Math.max(rowCount, totalRows);
      return { stored: rowCount, total, isAtLeast: false };
    }
    const stored = this.#countDifferent(lists);
    if (stored === null)
      return { stored: Math.max(...lists.map(({ rowCount }) => rowCount)), total: null, isAtLeast: true };
    return { stored, total: lists.every(({ isComplete }) => isComplete) ? stored : null, isAtLeast: false };
  }

  /** Null if there are too many rows to compare. */
  #countDifferent(lists: readonly Source[]): number | null {
    if (lists.reduce((sum, { rowCount }) => sum + rowCount, 0) > MAX_COMPARED) return null;
    const key = lists.map(({ generationId, revision }) => `${generationId}.${revision}`).join(' ');
    const known = this.#different.get(key);
    if (known !== undefined) return known;
    const identities = new Set<unknown>();
    let nameless = 0;
    for (const { generationId, rowCount } of lists) {
      const found = this.#identities.all(generationId);
      for (const identity of found) identities.add(identity);
      nameless += Math.max(0, rowCount - found.length);
    }
    const different = identities.size + nameless;
    this.#different.set(key, different);
    return different;
  }

  #queryOf({ id, query }: z.infer<typeof shownRow>): ListQuery {
    const known = this.#queries.get(id) ?? query;
    this.#queries.set(id, known);
    return known;
  }

  #applicationOf({ path, body }: ListQuery): string | null {
    const { application_id: ofPath, dataset_id: datasetId, experiment_id: experimentId } = path;
    const ofBody = body?.['application_id'];
    if (ofPath !== undefined) return ofPath;
    if (typeof ofBody === 'string') return ofBody;
    return this.#applications.get(datasetId ?? experimentId ?? '') ?? null;
  }

  #readNames(rows: readonly z.infer<typeof shownRow>[]): void {
    const naming = rows.filter((row) => NAMING.has(this.#queryOf(row).operation));
    const named = naming.map(({ id, revision }) => `${id}.${revision}`).join(' ');
    if (named === this.#named) return;
    this.#named = named;
    this.#names = new Map();
    this.#applications = new Map();
    for (const { id: generationId } of naming) {
      const records = this.#records.all(generationId, MAX_NAMES);
      for (const record of readable(records, (row) => parseRow(text, row, 'list row'))) {
        const { id, name, application } = parseRecord(record);
        if (typeof id !== 'string') continue;
        if (typeof name === 'string') this.#names.set(id, name);
        const applicationId = z.object({ id: z.string() }).safeParse(application);
        if (applicationId.success) this.#applications.set(id, applicationId.data.id);
      }
    }
  }
}
