import type { Connection } from '../../electron/shared/model.ts';
import {
  changedKeys,
  DEFAULT_SETTINGS,
  type ExportedSettings,
  type Settings,
  SYSTEM_ZONE,
  settingRow,
} from '../../electron/shared/settings.ts';
import type { SettingKey, SettingValue } from '../../electron/shared/settings-table.ts';
import { client as realClient } from '../lib/client.ts';
import type { Formats } from '../lib/format.ts';
import { Newest } from './newest.ts';

type Client = Pick<typeof realClient, 'ask' | 'on'>;

interface SettingsChange {
  title: string;
  before: Partial<ExportedSettings>;
  after: Partial<ExportedSettings>;
}

export class SettingsState {
  /** The stored settings; null until the main process has answered. */
  value = $state.raw<Settings | null>(null);
  /** The user's last change of settings, with the previous values. */
  lastChange = $state.raw<SettingsChange | null>(null);

  /** Called after each change of settings by the user. */
  onchange: (change: SettingsChange) => void = () => undefined;

  readonly theme = $derived(this.value?.theme ?? 'system');
  readonly density = $derived(this.value?.density ?? 'default');
  readonly isSidebarOpen = $derived(this.value?.isSidebarOpen ?? true);
  readonly isInspectorOpen = $derived(this.value?.isInspectorOpen ?? true);
  /** The effective settings: the defaults until the main process has answered. */
  readonly all: Settings = $derived(this.value ?? DEFAULT_SETTINGS);
  /** Keys of settings that differ from their defaults. */
  readonly changed = $derived(new Set(changedKeys(this.all)));
  /** Formats of values in the window. */
  readonly formats: Formats = $derived({
    zone: this.all.timeZone === SYSTEM_ZONE ? undefined : this.all.timeZone,
    numbers: this.all.numberFormat,
    dates: this.all.dateFormat,
    isTwelveHours: this.all.clock === '12',
  });

  /** The settings last received from the main process, and the changes in flight, in order. */
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

  /**
   * Shows the change immediately, until the answer of the main process replaces it. If that fails, the change is
   * reverted. Throws AppError.
   */
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

  /** Changes settings or shortcuts on the user's request. Unlike `set`, this can be undone. Throws AppError. */
  async change(patch: Partial<ExportedSettings>, title: string): Promise<void> {
    this.onchange(await this.put(patch, title));
  }

  /** Like `change`, for one step of an action that reports itself. */
  async put(patch: Partial<ExportedSettings>, title: string): Promise<SettingsChange> {
    const keys = Object.keys(patch).flatMap((key) => settingRow(key)?.key ?? []);
    const before: Partial<ExportedSettings> = Object.fromEntries(keys.map((key) => [key, this.all[key]]));
    if (patch.shortcuts !== undefined) before.shortcuts = this.all.shortcuts;
    await this.set(patch);
    const change = { title, before, after: patch };
    this.lastChange = change;
    return change;
  }

  /** Reverts the last change. Called again, it repeats the change. */
  async undo(): Promise<void> {
    const last = this.lastChange;
    if (last !== null) await this.change(last.before, last.title);
  }

  /** The value with which a connection overrides the setting; null if it has none. */
  ownValue(key: SettingKey, connection: Connection | null): SettingValue | null {
    const field = settingRow(key)?.ownOfConnection;
    const seconds = field === undefined ? undefined : connection?.[field];
    return seconds === undefined ? null : seconds * 1_000;
  }

  #take(settings: Settings, seq: number): void {
    if (this.#newest.takes(seq)) this.#told = settings;
    this.#show();
  }

  #show(): void {
    if (this.#told !== null) this.value = Object.assign({ ...this.#told }, ...this.#changes);
  }
}
