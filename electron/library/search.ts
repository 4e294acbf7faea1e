/**
 * The search of one connection. Stored lists are searched by their index, in a thread; other local data on this thread.
 */

import type { Clock, Logger } from '../core/ports.ts';
import { foldForSearch, GAP, rangesOf, snippetOf } from '../core/search/fold.ts';
import { rankHits } from '../core/search/rank.ts';
import { matchesTerms, parseTerms } from '../core/search/terms.ts';
import type { SearchChanges } from '../db/search-changes.ts';
import type { SearchThread } from '../db/search-thread.ts';
import { type AppError, toAppError } from '../shared/errors.ts';
import {
  MAX_COUNTED_HITS,
  SEARCH_KINDS,
  type SearchAnswer,
  type SearchGroup,
  type SearchHit,
  type SearchRequest,
} from '../shared/search-contract.ts';

export interface Search {
  /**
   * Searches stored data, without a request. Throws the errors of opening the index. Aborting the signal ends the
   * search with CANCELLED.
   */
  find(request: SearchRequest, signal?: AbortSignal): Promise<SearchAnswer>;
  /** Resolves once the index contains everything stored. */
  follow(signal?: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** An uploaded file, or one that is being sent. */
interface SearchedUpload {
  id: string;
  name: string;
  /** Name of the model of the file; may be empty. */
  model: string;
  note: string;
  atMs: number;
  target: SearchHit['target'];
}

export interface SearchDeps {
  changes: SearchChanges;
  startThread: (events: {
    onTakenOver: (seq: number) => void;
    onFailure: (error: AppError) => void;
  }) => SearchThread;
  /** Throws the errors of the upload store. */
  uploads: () => readonly SearchedUpload[];
  /** Whether the index is updated automatically. If not, it is updated only after a search. */
  isFollowing: boolean;
  clock: Clock;
  logger: Logger;
}

/** Delay after a change, so that consecutive pages are indexed together. */
const AFTER_CHANGE_MS = 400;
/** Delay of the remaining indexing, so that the window opens first. */
const AFTER_START_MS = 4_000;

export function createSearch(deps: SearchDeps): Search {
  let thread: SearchThread | null = null;
  let cancelTimer: (() => void) | null = null;
  const opened = (): SearchThread => {
    if (thread === null || thread.hasEnded) thread = deps.startThread({ onTakenOver, onFailure });
    return thread;
  };
  const onTakenOver = (seq: number): void => {
    try {
      deps.changes.clear(seq);
    } catch (problem) {
      // These changes are cleared together with the next ones.
      deps.logger.warn('search changes not cleared', { reason: toAppError(problem).message });
    }
  };
  const onFailure = (error: AppError): void => {
    deps.logger.warn('search index does not follow', { code: error.code, reason: error.message });
  };
  const followSoon = (delayMs: number): void => {
    cancelTimer ??= deps.clock.setTimer(
      () => {
        cancelTimer = null;
        opened().changed();
      },
      delayMs,
      'following changes with the search index',
    );
  };
  if (deps.isFollowing) {
    deps.changes.listen(() => followSoon(AFTER_CHANGE_MS));
    if (deps.changes.hasSome()) followSoon(AFTER_START_MS);
  }
  let saidProblem = '';
  /**
   * Empty if the upload store cannot be read, so that other results are still found. A search only for uploads reports
   * the error.
   */
  const uploadsOf = (request: SearchRequest): SearchGroup[] => {
    if (request.kind !== null && request.kind !== 'uploads') return [];
    try {
      return [findUploads(deps.uploads(), request)];
    } catch (problem) {
      if (request.kind === 'uploads') throw problem;
      const { code, message } = toAppError(problem);
      // Logged once, and not for each typed letter.
      if (message !== saidProblem) deps.logger.warn('uploads not searched', { code, reason: message });
      saidProblem = message;
      return [];
    }
  };
  return {
    find: async (request, signal) => {
      const answer = await opened().find(request, signal);
      return { ...answer, groups: inOrder([...answer.groups, ...uploadsOf(request)]) };
    },
    follow: (signal) => opened().follow(signal),
    stop: async () => {
      cancelTimer?.();
      await thread?.close();
    },
  };
}

function inOrder(groups: readonly SearchGroup[]): SearchGroup[] {
  return groups.toSorted((a, b) => SEARCH_KINDS.indexOf(a.kind) - SEARCH_KINDS.indexOf(b.kind));
}

/** Uploads are few and belong to no application. */
function findUploads(uploads: readonly SearchedUpload[], request: SearchRequest): SearchGroup {
  const { sinceMs, untilMs, offset, limit } = request;
  const terms = parseTerms(request.typed);
  const wanted = terms?.wanted ?? [];
  const found = uploads.filter(
    ({ name, model, atMs }) =>
      terms !== null &&
      request.applicationId === null &&
      atMs >= (sinceMs ?? atMs) &&
      atMs < (untilMs ?? Number.POSITIVE_INFINITY) &&
      matchesTerms(`${foldForSearch(name)}${GAP}${foldForSearch(model)}`, terms),
  );
  const ranked = rankHits(
    found.map((upload, id) => ({ upload, id, title: foldForSearch(upload.name), atMs: upload.atMs })),
    terms ?? { wanted: [], unwanted: [] },
  ).slice(0, MAX_COUNTED_HITS);
  const hits = ranked.slice(offset, offset + limit).map(
    ({ title, upload: { id, name, model, note, atMs, target } }): SearchHit => ({
      ...{ id: `uploads ${id}`, kind: 'uploads', title: name, note, atMs, place: '', target, row: null },
      titleRanges: rangesOf(name, wanted),
      found: wanted.every((term) => title.includes(term))
        ? null
        : { field: 'model', ...snippetOf(model, wanted) },
    }),
  );
  const all = uploads.length;
  return {
    kind: 'uploads',
    hits,
    count: ranked.length,
    hasMore: found.length > ranked.length,
    reach: { storedRows: all, isAtLeast: false, totalRows: all, isComplete: true, oldestMs: null },
  };
}
