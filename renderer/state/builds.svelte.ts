/** Builds (datasets from spans) of the connection at hand, as main last told them. */
import type { DatasetBuild } from '../../electron/shared/dataset-model.ts';
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import { client } from '../lib/client.ts';

class BuildsState {
  list = $state.raw<DatasetBuild[]>([]);
  isLoaded = $state(false);
  error = $state.raw<AppError | null>(null);
  connectionId = $state<string | null>(null);

  #stopListening: (() => void) | null = null;
  #loading: Promise<void> | null = null;

  /** Shows the builds of a connection; asking again for the same one costs nothing. */
  async watch(connectionId: string): Promise<void> {
    this.#stopListening ??= client.on('builds:changed', ({ connectionId: of, build }) => {
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
    try {
      const list = await client.invoke('builds:list', { connectionId });
      if (connectionId !== this.connectionId) return;
      this.list = list;
      this.isLoaded = true;
    } catch (thrown) {
      if (connectionId === this.connectionId) this.error = toAppError(thrown);
    }
  }

  of(buildId: string | null | undefined): DatasetBuild | null {
    return this.list.find((build) => build.buildId === buildId) ?? null;
  }

  /** Takes over a later state; events and answers may cross. */
  put(build: DatasetBuild): void {
    if (build.connectionId !== this.connectionId) return;
    const at = this.list.findIndex(({ buildId }) => buildId === build.buildId);
    const known = this.list[at];
    if (known !== undefined && known.changedAtMs > build.changedAtMs) return;
    this.list = at === -1 ? [build, ...this.list] : this.list.with(at, build);
  }

  /** Throws AppError. */
  async create(application: { id: string; name: string }, name: string): Promise<DatasetBuild> {
    const build = await client.invoke('builds:create', {
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
    const build = await client.invoke('builds:copy', this.#named(buildId));
    this.put(build);
    return build;
  }

  /** Throws AppError. */
  async forget(buildId: string): Promise<void> {
    await client.invoke('builds:forget', this.#named(buildId));
    this.list = this.list.filter((build) => build.buildId !== buildId);
  }

  #named(buildId: string): { connectionId: string; buildId: string } {
    return { connectionId: this.connectionId ?? '', buildId };
  }
}

export const builds = new BuildsState();
