/**
 * Adds spans by one key to the dataset that was filled last, with the same mapping. They form a separate build that
 * starts a few seconds later. Until then, more spans join it and each can be undone.
 */
import type { ListedSpans } from '../../electron/shared/coverage-model.ts';
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import { client } from '../lib/client.ts';
import { lastSent, type SentBuild } from '../lib/last-sent.ts';
import { isSameMapping } from '../lib/mapping-edit.ts';
import { Basket } from './basket.svelte.ts';
import { buildJob, changeBuild } from './build-actions.ts';
import { clock } from './clock.svelte.ts';
import { detachedRoot } from './detached-root.svelte.ts';
import { jobs } from './jobs.svelte.ts';
import { START_GRACE_MS } from './start-grace.ts';

interface QuickAdded {
  /** Number of spans that will be sent; 0 if all are already in flight or in the dataset. */
  added: number;
  /** Number of rows that moved in the list meanwhile. */
  missing: number;
  /** Fields without a value, because no span has their key. */
  absent: string[];
}

/** Puts spans into the basket of the new build. */
type Pick = () => Promise<{ added: number; missing: number }>;

const known = new Map<string, QuickAdd>();

/** One instance per application, shared by all views of its spans. */
export function quickAddOf(connectionId: string, application: { id: string; name: string }): QuickAdd {
  const key = `${connectionId} ${application.id}`;
  const found = known.get(key) ?? detachedRoot(() => new QuickAdd(application)).thing;
  known.set(key, found);
  return found;
}

class QuickAdd {
  readonly #application: { id: string; name: string };
  readonly #basket: Basket;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(application: { id: string; name: string }) {
    this.#application = application;
    this.#basket = new Basket(application, {
      read: () => null,
      write: () => undefined,
      run: (work) => work(),
    });
  }

  /** The build to repeat; null if no dataset was filled with spans of the application yet. Reactive. */
  get last(): SentBuild | null {
    return lastSent(jobs.of('build'), this.#application.id, null);
  }

  /** Adds spans of lists. They are sent when nothing was added for a few seconds. Throws AppError. */
  add(last: SentBuild, lists: readonly ListedSpans[]): Promise<QuickAdded> {
    return this.#addBy(last, () => this.#basket.pick(lists));
  }

  /** Adds spans of a basket by their positions in it, including their edits. Throws AppError. */
  addOf(last: SentBuild, fromId: string, positions: readonly number[]): Promise<QuickAdded> {
    return this.#addBy(last, () => this.#basket.pickOf(fromId, positions));
  }

  #addBy(last: SentBuild, pick: Pick): Promise<QuickAdded> {
    return this.#inTurn(async () => {
      await this.#hold();
      if (this.#basket.build !== null && !goesLike(this.#basket.build, last)) {
        await this.#resume();
        this.#basket.use(null);
      }
      try {
        return await this.#add(last, pick);
      } finally {
        await this.#resume();
      }
    });
  }

  async #add({ datasetId, target, mapping }: SentBuild, pick: Pick): Promise<QuickAdded> {
    const { added, missing } = await pick();
    const { build } = this.#basket;
    if (build === null || added === 0) return { added: 0, missing, absent: [] };
    const name = target?.name ?? datasetId;
    await changeBuild(build, {
      type: 'settings',
      patch: { name: `To ${name}`.slice(0, 200), mapping, target: { kind: 'existing', datasetId, name } },
    });
    const before = build.counts.unsent - added;
    const unsent = this.#basket.build?.counts.unsent ?? 0;
    if (unsent === before) {
      await this.#basket.step('undo');
      return { added: 0, missing, absent: [] };
    }
    const { connectionId, buildId } = build;
    const { coverage } = await client.act('builds:read', 'check-mapping', { connectionId, buildId, mapping });
    const absent = mapping.filter((_, at) => coverage[at]?.present === 0).map(({ field }) => field);
    return { added: unsent - before, missing, absent };
  }

  /** Cancels the last addition. Returns false if it already is in flight. Throws AppError. */
  undoStart(): Promise<boolean> {
    return this.#inTurn(async () => {
      await this.#hold();
      if (this.#basket.build === null) return false;
      try {
        await this.#basket.step('undo');
        return true;
      } finally {
        await this.#resume();
      }
    });
  }

  /** Prevents the build from starting meanwhile. */
  async #hold(): Promise<void> {
    const { build } = this.#basket;
    if (build === null || build.startAtMs === null) return;
    try {
      await jobs.control(buildJob(build), 'unschedule');
    } catch (thrown) {
      // If the build has just started, further spans form another one.
      if (this.#basket.build !== null) throw thrown;
    }
  }

  async #resume(): Promise<void> {
    const { build } = this.#basket;
    if (build === null) return;
    if (build.counts.unsent > 0) {
      await jobs.control(buildJob(build), 'schedule', clock.nowMs + START_GRACE_MS);
      return;
    }
    this.#basket.use(null);
    await jobs.forget(buildJob(build));
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

const goesLike = ({ target, mapping }: DatasetBuild, last: SentBuild): boolean =>
  target?.kind === 'existing' && target.datasetId === last.datasetId && isSameMapping(mapping, last.mapping);
