import type { Settings } from '../../electron/shared/model.ts';
import { client } from '../lib/client.ts';

export class SettingsState {
  /** Null until main has answered once. */
  value = $state.raw<Settings | null>(null);

  readonly theme = $derived(this.value?.theme ?? 'system');
  readonly density = $derived(this.value?.density ?? 'default');
  readonly isSidebarOpen = $derived(this.value?.isSidebarOpen ?? true);
  readonly isInspectorOpen = $derived(this.value?.isInspectorOpen ?? true);

  async load(): Promise<void> {
    this.value = await client.invoke('settings:get');
    client.on('settings:changed', (settings) => {
      this.value = settings;
    });
  }

  /** Shows the change at once; main's answer has the last word. Throws AppError. */
  async set(patch: Partial<Settings>): Promise<void> {
    const before = this.value;
    if (before !== null) this.value = { ...before, ...patch };
    try {
      this.value = await client.invoke('settings:set', patch);
    } catch (thrown) {
      this.value = before;
      throw thrown;
    }
  }
}
