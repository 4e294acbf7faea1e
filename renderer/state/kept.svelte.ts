/**
 * Content of the active connection that is kept for offline use: the window's only access to it in the main process.
 */

import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { parseExact } from '../../electron/shared/exact-json.ts';
import type {
  KeepDrop,
  KeepEstimate,
  KeepKind,
  KeepPlan,
  KeepSpace,
  KeepSync,
  KeepTest,
  Kept,
} from '../../electron/shared/keep-model.ts';
import { client } from '../lib/client.ts';
import type { KeepSubject } from '../lib/keep-words.ts';
import { isObject } from '../lib/records.ts';
import { app } from './app.svelte.ts';
import { jobs } from './jobs.svelte.ts';
import type { ActSteps } from './undo-history.svelte.ts';

const KIND = 'keep-offline';
/** Key of the last test result, which is stored together with the tabs of the connection. */
const TEST_KEY = 'offline-test';

type KeptMark = 'Kept' | 'Keeping' | 'In part';

class KeptState {
  /** Entries, newest first. */
  readonly list: readonly Kept[] = $derived(jobs.of(KIND));
  space = $state.raw<KeepSpace | null>(null);
  spaceError = $state.raw<AppError | null>(null);
  /** Subject of the open dialog; `any` if the dialog asks for it. */
  asked = $state.raw<KeepSubject | 'any' | null>(null);
  #tested = $state.raw<{ connectionId: string | null; test: KeepTest | null } | null>(null);
  /** Ids of the connections that are being tested. */
  #testing = $state.raw<readonly string[]>([]);
  #testError = $state.raw<{ connectionId: string; error: AppError } | null>(null);
  /** Serialized, so that a change of counts alone does not change the marks and redraw lists. */
  readonly #markText = $derived(JSON.stringify(this.list.map(markOf).toReversed()));
  readonly #marks = $derived(new Map(parseExact(this.#markText) as [string, KeptMark][]));

  constructor() {
    app.whenLeft(() => {
      this.asked = null;
      this.space = null;
      this.spaceError = null;
    });
  }

  get isLoaded(): boolean {
    return jobs.isLoaded;
  }
  get error(): AppError | null {
    return jobs.errorOf(KIND);
  }

  get #connectionId(): string {
    return app.connections.activeId ?? '';
  }

  /** The last test of this connection. It is kept after a restart. */
  get test(): KeepTest | null {
    const { activeId } = app.connections;
    if (this.#tested?.connectionId === activeId) return this.#tested.test;
    return readTest(app.keep.get(TEST_KEY));
  }

  get isTesting(): boolean {
    return this.#testing.includes(this.#connectionId);
  }

  get testError(): AppError | null {
    return this.#testError?.connectionId === this.#connectionId ? this.#testError.error : null;
  }

  /** The entries that were made for this subject. */
  reasonsFor({ kind, id }: Pick<KeepSubject, 'kind' | 'id'>): readonly Kept[] {
    return this.list.filter(({ plan }) => plan.kind === kind && plan.id === id);
  }

  /** The mark for a subject; null if it is not kept. */
  markFor(kind: KeepKind, id: string): KeptMark | null {
    return this.#marks.get(`${kind} ${id}`) ?? null;
  }

  load(): Promise<void> {
    return jobs.load();
  }

  async loadSpace(): Promise<void> {
    const connectionId = this.#connectionId;
    try {
      const space = await client.act('keep:act', 'get-space', { connectionId });
      if (connectionId !== this.#connectionId) return;
      this.space = space;
      this.spaceError = null;
    } catch (thrown) {
      if (connectionId === this.#connectionId) this.spaceError = toAppError(thrown);
    }
  }

  /** Throws AppError. */
  estimate(plan: KeepPlan): Promise<KeepEstimate> {
    return jobs.plan(KIND, { plan }, this.#connectionId);
  }

  /** Throws AppError. */
  async start(plan: KeepPlan, refreshHours: number | null): Promise<void> {
    await jobs.create(KIND, { keep: plan, refreshHours });
  }

  /** Throws AppError. */
  async control({ keptId }: Kept, action: 'pause' | 'resume' | 'start' | 'retry'): Promise<void> {
    await jobs.control({ kind: KIND, id: keptId }, action);
  }

  /** Reads everything again, including paused entries. Throws AppError. */
  async refreshAll(): Promise<void> {
    for (const kept of this.list) {
      if (kept.state === 'done' || kept.state === 'paused') await this.control(kept, 'start');
    }
  }

  /** Throws AppError. */
  async setRefresh({ keptId }: Kept, refreshHours: number | null): Promise<void> {
    await jobs.change({ kind: KIND, id: keptId }, { refreshHours });
  }

  /** Throws AppError. */
  planDrop({ keptId }: Kept): Promise<KeepDrop> {
    return client.act('keep:act', 'plan-drop', { connectionId: this.#connectionId, keptId });
  }
  /** Throws AppError. */
  planSync({ keptId }: Kept): Promise<KeepSync> {
    return client.act('keep:act', 'plan-sync', { connectionId: this.#connectionId, keptId });
  }

  /** Deletes the entry. Returns steps that restore it (for a limited time) and delete it again. Throws AppError. */
  async drop({ keptId, state }: Kept): Promise<ActSteps> {
    const name = { kind: KIND, id: keptId } as const;
    const isGoing = state === 'running' || state === 'waiting';
    const redo = async () => {
      if (isGoing) await jobs.control(name, 'pause');
      await jobs.forget(name);
      await this.loadSpace();
    };
    await redo();
    const undo = async () => {
      await jobs.restore(name);
      if (isGoing) await jobs.control(name, 'resume');
      await this.loadSpace();
    };
    return { undo, redo };
  }

  /** Tests whether all kept content can be read without a network. Errors are in `testError`. */
  async runTest(): Promise<void> {
    if (this.isTesting) return;
    const connectionId = this.#connectionId;
    this.#testing = [...this.#testing, connectionId];
    this.#testError = null;
    try {
      const test = await client.act('keep:act', 'test', { connectionId });
      if (connectionId !== this.#connectionId) return;
      this.#tested = { connectionId, test };
      app.keep.set(TEST_KEY, test);
    } catch (thrown) {
      this.#testError = { connectionId, error: toAppError(thrown) };
    } finally {
      this.#testing = this.#testing.filter((each) => each !== connectionId);
    }
  }
}

function markOf({ plan, state, counts }: Kept): [string, KeptMark] {
  const isGoing = state === 'running' || state === 'waiting';
  const isWhole = state === 'done' && counts.failed === 0;
  return [`${plan.kind} ${plan.id}`, isGoing ? 'Keeping' : isWhole ? 'Kept' : 'In part'];
}

/** Reads a test stored by this or an earlier version; null if it is invalid. */
function readTest(value: unknown): KeepTest | null {
  if (!isObject(value)) return null;
  const { atMs, questions, rows, gaps, gapCount } = value;
  const numbers = [atMs, questions, rows, gapCount];
  if (!numbers.every((each) => typeof each === 'number') || !Array.isArray(gaps)) return null;
  return value as unknown as KeepTest;
}

export const kept = new KeptState();
