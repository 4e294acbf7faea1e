/** Builds (datasets from spans) of the connection at hand, as main last told them. */
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { client as realClient } from '../lib/client.ts';

type Client = Pick<typeof realClient, 'invoke' | 'on'>;

export class BuildsState {
  list = $state.raw<DatasetBuild[]>([]);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);
  connectionId = $state<string | null>(null);

  #stopListening: (() => void) | null = null;
  #loading: Promise<void> | null = null;
  /** What a list that is on its way need not know: builds that came since it was asked for, and those that went. */
  readonly #came = new Set<string>();
  readonly #went = new Set<string>();
  readonly #client: Client;

  constructor(client: Client = realClient) {
    this.#client = client;
  }

  /** Shows the builds of a connection; asking again for the same one costs nothing. */
  async watch(connectionId: string): Promise<void> {
    this.#stopListening ??= this.#client.on('builds:changed', ({ connectionId: of, build }) => {
      if (of === this.connectionId) this.put(build);
    });
    if (this.connectionId === connectionId && (this.isLoaded || this.#loading !== null))
      return this.#loading ?? undefined;
    this.connectionId = connectionId;
    this.list = [];
    this.isLoaded = false;
    await this.load();
  }

  load(): Promise<void> {
    this.#loading = this.#load().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    const { connectionId } = this;
    if (connectionId === null) return;
    this.error = null;
    this.#came.clear();
    try {
      const list = await this.#client.invoke('builds:list', { connectionId });
      if (connectionId !== this.connectionId) return;
      this.#takeOver(list);
      this.isLoaded = true;
    } catch (thrown) {
      if (connectionId === this.connectionId) this.error = toAppError(thrown);
    }
  }

  /** Those that came meanwhile stay, first, and as they are known where that is later. */
  #takeOver(list: readonly DatasetBuild[]): void {
    const known = new Map(this.list.map((build) => [build.buildId, build]));
    const newerOf = (build: DatasetBuild): DatasetBuild => {
      const own = known.get(build.buildId);
      return own !== undefined && own.changedAtMs > build.changedAtMs ? own : build;
    };
    const listed = list.filter(({ buildId }) => !this.#went.has(buildId)).map(newerOf);
    const names = new Set(listed.map(({ buildId }) => buildId));
    const came = this.list.filter(({ buildId }) => this.#came.has(buildId) && !names.has(buildId));
    this.list = [...came, ...listed];
  }

  of(buildId: string | null | undefined): DatasetBuild | null {
    return this.list.find((build) => build.buildId === buildId) ?? null;
  }

  /** Takes over a later state; events and answers may cross. */
  put(build: DatasetBuild): void {
    if (build.connectionId !== this.connectionId || this.#went.has(build.buildId)) return;
    this.#came.add(build.buildId);
    const at = this.list.findIndex(({ buildId }) => buildId === build.buildId);
    const known = this.list[at];
    if (known !== undefined && known.changedAtMs > build.changedAtMs) return;
    this.list = at === -1 ? [build, ...this.list] : this.list.with(at, build);
  }

  /** Throws AppError. */
  async create(application: { id: string; name: string }, name: string): Promise<DatasetBuild> {
    const build = await this.#client.invoke('builds:create', {
      connectionId: this.connectionId ?? '',
      applicationId: application.id,
      applicationName: application.name,
      name,
    });
    this.put(build);
    return build;
  }

  /** Throws AppError. */
  async copy(buildId: string): Promise<DatasetBuild> {
    const build = await this.#client.invoke('builds:copy', this.#named(buildId));
    this.put(build);
    return build;
  }

  /** Throws AppError. */
  async forget(buildId: string): Promise<void> {
    await this.#client.invoke('builds:forget', this.#named(buildId));
    this.#went.add(buildId);
    this.list = this.list.filter((build) => build.buildId !== buildId);
  }

  #named(buildId: string): { connectionId: string; buildId: string } {
    return { connectionId: this.connectionId ?? '', buildId };
  }
}

export const builds = new BuildsState();
