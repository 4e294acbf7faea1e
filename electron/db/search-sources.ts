/** The shown lists as needed for search: how much of each is stored, and names for ids. */
import { z } from 'zod';
import { readable } from '../core/readable.ts';
import { kindOf, type StoredKind } from '../core/search/documents.ts';
import { type ListQuery, listQuery } from '../shared/model.ts';
import { parseRecord } from '../shared/record-parts.ts';
import type { SearchReach } from '../shared/search-contract.ts';
import { type Database, parseRow } from './open.ts';
import { json, wallMs } from './row-parts.ts';

export interface Source {
  generationId: number;
  kind: StoredKind;
  query: ListQuery;
  /** The application that all its rows belong to. */
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

/** Lists that provide names for ids. */
const NAMING: ReadonlySet<string> = new Set(['applications.list', 'datasets.list']);
const MAX_NAMES = 2_000;

/** Drops lists of a single entity type if there is a list of all types, which includes them. */
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

export class SearchSources {
  readonly #library: Database;
  readonly #shownRows;
  readonly #records;
  readonly #queries = new Map<number, ListQuery>();
  #shown = new Map<number, Source>();
  #names = new Map<string, string>();
  /** The application of each dataset. */
  #applications = new Map<string, string>();
  #version: unknown = null;
  #named = '';

  constructor(library: Database) {
    this.#library = library;
    this.#shownRows = library.prepare(`
      SELECT generation.id, list.query, revision, row_count, total_rows, is_complete, oldest_ms
      FROM list JOIN generation ON generation.id = shown_generation_id ORDER BY list.id`);
    this.#records = library
      .prepare('SELECT record FROM list_row WHERE generation_id = ? ORDER BY position LIMIT ?')
      .pluck();
  }

  /** Reads changes since the last call. */
  renew(): void {
    const version = this.#library.pragma('data_version', { simple: true });
    if (version === this.#version) return;
    this.#version = version;
    const rows = readable(this.#shownRows.all(), (row) => parseRow(shownRow, row, 'list'));
    this.#readNames(rows);
    this.#shown = new Map();
    const known = new Set(rows.map(({ id }) => id));
    for (const id of this.#queries.keys()) if (!known.has(id)) this.#queries.delete(id);
    for (const row of rows) {
      const query = this.#queryOf(row);
      const kind = kindOf(query.operation);
      if (kind === null) continue;
      this.#shown.set(row.id, {
        generationId: row.id,
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

  /** Null if no view would show its rows. */
  shown(generationId: number): Source | null {
    return this.#shown.get(generationId) ?? null;
  }

  nameOf(id: string): string | null {
    return this.#names.get(id) ?? null;
  }

  /** Among lists that differ only in selection or order, the largest one counts. */
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
    const totals = sources.map(({ rowCount, totalRows, isComplete }) =>
      isComplete ? rowCount : totalRows === null ? null : Math.max(rowCount, totalRows),
    );
    const isTotalKnown = totals.every((total) => total !== null);
    const oldest = sources.flatMap(({ oldestMs }) => oldestMs ?? []);
    return {
      storedRows: sources.reduce((sum, { rowCount }) => sum + rowCount, 0),
      totalRows: isTotalKnown ? totals.reduce((sum, total) => sum + (total ?? 0), 0) : null,
      isComplete: sources.length > 0 && sources.every(({ isComplete }) => isComplete),
      oldestMs: oldest.length === 0 ? null : Math.min(...oldest),
    };
  }

  #queryOf({ id, query }: z.infer<typeof shownRow>): ListQuery {
    const known = this.#queries.get(id) ?? query;
    this.#queries.set(id, known);
    return known;
  }

  #applicationOf({ path, body }: ListQuery): string | null {
    const { application_id: ofPath, dataset_id: datasetId } = path;
    const ofBody = body?.['application_id'];
    if (ofPath !== undefined) return ofPath;
    if (typeof ofBody === 'string') return ofBody;
    return datasetId === undefined ? null : (this.#applications.get(datasetId) ?? null);
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
