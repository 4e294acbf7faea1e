/** Windows of a list of spans shown as sessions, with one row for each session of the stored spans. */
import {
  latestFirst,
  type SpanSession,
  sessionRow,
  sessionsWith,
  sortSessions,
} from '../core/spans/sessions.ts';
import type { Generation } from '../db/library-rows.ts';
import type { ListReads } from '../db/list-reads.ts';
import { detached } from '../shared/detached.ts';
import type { ListQuery, RowPage, RowWindow } from '../shared/model.ts';
import { parseStored, utf8Bytes, WHOLE_BYTES } from '../shared/record-parts.ts';
import { orderOf } from './choose-rows.ts';
import type { Derivation } from './derive.ts';
import type { Source } from './freshness.ts';
import { PositionSet } from './positions.ts';
import { MAX_BYTES_HERE, type RowOrders } from './row-orders.ts';
import { MAX_WINDOW_ROWS } from './row-window.ts';
import { isRow, type SessionQuery, SessionReader, type SessionReply } from './session-reader.ts';
import type { Slices } from './slices.ts';

type Row = Record<string, unknown>;

interface SessionRowsDeps {
  reads: ListReads;
  orders: RowOrders;
  /** Runs a `SessionReader` in the thread for large lists. */
  inThread: (query: SessionQuery, slices: Slices) => Promise<SessionReply>;
  slices: () => Slices;
}

/** Maximum number of lists whose sessions stay in memory. */
const KEPT_LISTS = 3;

export class SessionRows {
  readonly #deps: SessionRowsDeps;
  /** Sessions by list, the least recently used first. */
  readonly #kept = new Map<string, Promise<SpanSession[]>>();
  /** The last requested order of the sessions of a revision. */
  readonly #orders = new WeakMap<readonly SpanSession[], { key: string; sorted: readonly SpanSession[] }>();
  /** By generation: groupings in progress, and groupings that wait for their end. */
  readonly #running = new Map<number, Promise<void>>();
  readonly #pending = new Map<number, Promise<SpanSession[]>>();
  /** For each list that waits for its grouping, its newest revision. */
  readonly #newest = new Map<number, Generation>();
  #last: { generationId: number; version: number; sessions: readonly SpanSession[] } | null = null;

  constructor(deps: SessionRowsDeps) {
    this.#deps = deps;
  }

  /**
   * The sessions that have a span left by the window's filters. They are counted over all of their spans in the list
   * from which the spans are selected. Throws INVALID_ARGUMENT for an invalid expression, ANSWER_TOO_LARGE.
   */
  async read(
    source: Source,
    derivation: Derivation | null,
    window: RowWindow & { query: ListQuery },
  ): Promise<RowPage> {
    if (source.kind === 'none') return { rows: [], matchingRows: 0 };
    const { generation } = source;
    const { query, narrow, filters = [], sort, offset } = window;
    const passing = await orderOf(this.#deps.orders, source, derivation, {
      query,
      narrow,
      filters,
      sort: null,
    });
    const slices = this.#deps.slices();
    const all = await this.#sorted(await this.#sessionsOf(generation), sort, slices);
    const found =
      passing === null ? all : await slices.do(sessionsWith(all, await PositionSet.of(passing, slices)));
    const rows: RowPage['rows'] = [];
    let bytes = 0;
    const wanted = found.slice(offset, offset + Math.min(window.limit, MAX_WINDOW_ROWS));
    for (const [at, session] of wanted.entries()) {
      const record = await slices.do(sessionRow(session, (place) => this.#recordAt(generation.id, place)));
      bytes += utf8Bytes(JSON.stringify(record));
      if (rows.length > 0 && bytes > WHOLE_BYTES)
        return { rows, matchingRows: found.length, nextOffset: offset + at };
      rows.push({ position: offset + at, record });
    }
    return { rows, matchingRows: found.length };
  }

  /** Cached, because each window of a scrolled list has the same order. */
  async #sorted(
    sessions: readonly SpanSession[],
    sort: RowWindow['sort'],
    slices: Slices,
  ): Promise<readonly SpanSession[]> {
    const key = JSON.stringify(sort);
    const known = this.#orders.get(sessions);
    if (known?.key === key) return known.sorted;
    const sorted = await slices.do(sortSessions(sessions, sort));
    this.#orders.set(sessions, { key, sorted });
    return sorted;
  }

  #sessionsOf(generation: Generation): Promise<SpanSession[]> {
    const key = `${generation.id}/${generation.revision}`;
    const sessions = this.#kept.get(key) ?? this.#grouped(generation);
    this.#kept.delete(key);
    this.#kept.set(key, sessions);
    sessions.catch(() => this.#kept.delete(key));
    for (const oldest of this.#kept.keys()) if (this.#kept.size > KEPT_LISTS) this.#kept.delete(oldest);
    return sessions;
  }

  /**
   * Groups the rows again after a grouping in progress. All revisions that arrive until then share the result, because
   * the rows are read as they are stored at its start.
   */
  #grouped(generation: Generation): Promise<SpanSession[]> {
    const { id } = generation;
    this.#newest.set(id, generation);
    const pending = this.#pending.get(id);
    if (pending !== undefined) return pending;
    const group = () => {
      this.#pending.delete(id);
      const newest = this.#newest.get(id) ?? generation;
      this.#newest.delete(id);
      const grouping = this.#grouping(newest);
      const ended = grouping.then(
        () => undefined,
        () => undefined,
      );
      this.#running.set(id, ended);
      const forgotten = ended.then(() => {
        if (this.#running.get(id) === ended) this.#running.delete(id);
      });
      detached('forgetting a finished grouping of sessions', forgotten);
      return grouping;
    };
    const running = this.#running.get(id);
    if (running === undefined) return group();
    const next = running.then(group);
    this.#pending.set(id, next);
    return next;
  }

  /** Adds changed sessions to those of the last grouping. */
  async #grouping({ id, sizeBytes, frontPosition, hasMoved }: Generation): Promise<SpanSession[]> {
    const slices = this.#deps.slices();
    const last = this.#last?.generationId === id ? this.#last : null;
    const query = { generationId: id, frontPosition, hasMoved, known: last?.version ?? null };
    const { sessions, removed, isAll, version } =
      sizeBytes > MAX_BYTES_HERE
        ? await this.#deps.inThread(query, slices)
        : await new SessionReader(this.#deps.reads).read(query, slices);
    const replaced = new Set(removed.concat(sessions.map((session) => session.id)));
    const unchanged = isAll ? [] : (last?.sessions.filter((session) => !replaced.has(session.id)) ?? []);
    const all = latestFirst(unchanged.concat(sessions));
    this.#last = { generationId: id, version, sessions: all };
    return all;
  }

  #recordAt(generationId: number, place: number): Row | null {
    for (const { position, json } of this.#deps.reads.recordsFrom(generationId, place, 1)) {
      const row = parseStored(json);
      if (position === place && isRow(row)) return row;
    }
    return null;
  }
}
