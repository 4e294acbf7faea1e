/** Things of a connection that were opened recently or starred. Stored with the layout. */
import { isObject } from '../lib/records.ts';
import { aboutOf, TAB_KINDS, type Tab, tabRow } from '../lib/tab-kinds.ts';
import type { ViewStateStorage } from './view-state-storage.ts';

export interface Recent extends Pick<Tab, 'kind' | 'title' | 'params'> {
  atMs: number;
  isStarred: boolean;
}

const KEEP_KEY = 'recents';
/** Maximum number of entries, not counting starred ones. */
const MAX_RECENT = 20;
const MAX_STARRED = 50;
const isThing = ({ kind, params }: Pick<Tab, 'kind' | 'params'>) =>
  tabRow(kind).isThing === true ||
  // A file in preparation is not listed here, but among the things that wait for the user.
  (kind === 'upload' && params['job'] !== undefined) ||
  (kind === 'catalog' && params['applicationId'] !== undefined) ||
  (kind === 'board' && params['board'] !== undefined);

function readRecent(value: unknown): Recent[] {
  if (!isObject(value) || !isObject(value['params'])) return [];
  const { title, atMs, isStarred } = value;
  const kind = TAB_KINDS.find((each) => each === value['kind']);
  if (kind === undefined || typeof title !== 'string' || typeof atMs !== 'number') return [];
  const texts = Object.entries(value['params']).filter(
    (each): each is [string, string] => typeof each[1] === 'string',
  );
  const recent = { kind, title, params: Object.fromEntries(texts), atMs, isStarred: isStarred === true };
  return recent.isStarred || isThing(recent) ? [recent] : [];
}

export class RecentsState {
  /** Entries, newest first. */
  list = $state.raw<readonly Recent[]>([]);
  readonly #keep: ViewStateStorage;

  constructor(keep: ViewStateStorage) {
    this.#keep = keep;
  }

  /** Loads the entries of the entered connection. */
  load(): void {
    const stored = this.#keep.get(KEEP_KEY);
    this.list = Array.isArray(stored) ? stored.flatMap(readRecent) : [];
  }

  /** Records that a tab was shown. */
  note(tab: Tab, nowMs: number): void {
    const known = this.#find(tab);
    if (known === undefined && !isThing(tab)) return;
    this.#put(tab, nowMs, known?.isStarred === true);
  }

  isStarred(tab: Pick<Tab, 'kind' | 'params'>): boolean {
    return this.#find(tab)?.isStarred === true;
  }

  setStarred(tab: Pick<Tab, 'kind' | 'title' | 'params'>, isStarred: boolean, nowMs: number): void {
    this.#put(tab, this.#find(tab)?.atMs ?? nowMs, isStarred);
  }

  remove(recent: Recent): void {
    const about = aboutOf(recent);
    this.list = this.list.filter((each) => aboutOf(each) !== about);
    this.#keep.set(KEEP_KEY, this.list);
  }

  /** Restores a removed entry. */
  restore(recent: Recent): void {
    this.#put(recent, recent.atMs, recent.isStarred);
  }

  #find(tab: Pick<Tab, 'kind' | 'params'>): Recent | undefined {
    const about = aboutOf(tab);
    return this.list.find((each) => aboutOf(each) === about);
  }

  #put(
    { kind, title, params }: Pick<Tab, 'kind' | 'title' | 'params'>,
    atMs: number,
    isStarred: boolean,
  ): void {
    const about = aboutOf({ kind, params });
    const others = this.list.filter((each) => aboutOf(each) !== about);
    const all = [...others, { kind, title, params, atMs, isStarred }].toSorted((a, b) => b.atMs - a.atMs);
    const starred = all.filter((each) => each.isStarred).slice(0, MAX_STARRED);
    const recent = all.filter((each) => !each.isStarred).slice(0, MAX_RECENT);
    this.list = [...starred, ...recent].toSorted((a, b) => b.atMs - a.atMs);
    this.#keep.set(KEEP_KEY, this.list);
  }
}
