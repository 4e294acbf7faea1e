/** Reads the sessions of a stored list of spans. Used on the main thread and in the thread for large lists. */
import { type SessionChanges, SessionGroups, type SessionSpan, sessionSpan } from '../core/spans/sessions.ts';
import type { ListReads } from '../db/list-reads.ts';
import { parseStored } from '../shared/record-parts.ts';
import type { Slices } from './slices.ts';

type Row = Record<string, unknown>;

export const isRow = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A stored list whose sessions are requested. */
export interface SessionQuery {
  generationId: number;
  /** Rows before this position have never changed, unless `hasMoved` is true. */
  frontPosition: number;
  hasMoved: boolean;
  /** The version of the sessions that the caller already has; null for none. */
  known: number | null;
}

/** Sessions that changed since the version that the caller has; all sessions if `isAll`. */
export interface SessionReply extends SessionChanges {
  version: number;
  isAll: boolean;
}

/**
 * Maximum size of a list whose grouping is kept. Larger lists are grouped from the start each time, which limits the
 * memory of the thread.
 */
const MAX_KEPT_SPANS = 200_000;

/** Groups the spans of one list at a time. Afterwards only spans of pages that arrived since are grouped. */
export class SessionReader {
  readonly #reads: ListReads;
  #kept: { generationId: number; frontPosition: number; groups: SessionGroups; version: number } | null =
    null;
  #version = 0;

  constructor(reads: ListReads) {
    this.#reads = reads;
  }

  async read(query: SessionQuery, slices: Slices): Promise<SessionReply> {
    const { generationId, frontPosition, hasMoved, known } = query;
    const kept = this.#kept;
    const isSame = kept?.generationId === generationId && kept.version === known && !hasMoved;
    const groups = isSame ? kept.groups : new SessionGroups();
    const from = isSame ? kept.frontPosition : 0;
    this.#kept = null;
    const changes = groups.replaceFrom(from, await readSpans(this.#reads, generationId, from, slices));
    this.#version += 1;
    const version = this.#version;
    if (groups.size <= MAX_KEPT_SPANS) this.#kept = { generationId, frontPosition, groups, version };
    return { ...changes, version, isAll: !isSame };
  }
}

async function readSpans(
  reads: ListReads,
  generationId: number,
  first: number,
  slices: Slices,
): Promise<SessionSpan[]> {
  const spans: SessionSpan[] = [];
  await slices.each((from, limit) => {
    const positions: number[] = [];
    for (const { position, json } of reads.recordsFrom(generationId, from, limit)) {
      positions.push(position);
      const row = parseStored(json);
      if (isRow(row)) spans.push(sessionSpan(row, position));
    }
    return positions;
  }, first);
  return spans;
}
