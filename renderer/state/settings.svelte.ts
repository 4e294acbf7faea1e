import type { Settings } from '../../electron/shared/model.ts';
import { client as realClient } from '../lib/client.ts';
import { Newest } from './newest.ts';

type Client = Pick<typeof realClient, 'ask' | 'on'>;

export class SettingsState {
  /** Null until main has answered once. */
  value = $state.raw<Settings | null>(null);

  readonly theme = $derived(this.value?.theme ?? 'system');
  readonly density = $derived(this.value?.density ?? 'default');
  readonly isSidebarOpen = $derived(this.value?.isSidebarOpen ?? true);
  readonly isInspectorOpen = $derived(this.value?.isInspectorOpen ?? true);

  /** As main told them last, and the changes on their way there, in order. */
  #told: Settings | null = null;
  #changes: readonly Partial<Settings>[] = [];
  readonly #newest = new Newest();
  readonly #client: Client;

  constructor(client: Client = realClient) {
    this.#client = client;
  }

  async load(): Promise<void> {
    this.#client.on('settings:changed', (settings, seq) => this.#take(settings, seq));
    const { value, seq } = await this.#client.ask('settings:get');
    this.#take(value, seq);
  }

  /** Shows the change at once; main's answer has the last word. Throws AppError: then it is taken back. */
  async set(patch: Partial<Settings>): Promise<void> {
    this.#changes = [...this.#changes, patch];
    this.#show();
    const done = () => {
      this.#changes = this.#changes.filter((each) => each !== patch);
    };
    try {
      const { value, seq } = await this.#client.ask('settings:set', patch);
      done();
      this.#take(value, seq);
    } catch (thrown) {
      done();
      this.#show();
      throw thrown;
    }
  }

  #take(settings: Settings, seq: number): void {
    if (this.#newest.takes(seq)) this.#told = settings;
    this.#show();
  }

  #show(): void {
    if (this.#told !== null) this.value = Object.assign({ ...this.#told }, ...this.#changes);
  }
}
