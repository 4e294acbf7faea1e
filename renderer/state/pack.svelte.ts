/** State of the dialogs for packs: the selected content, its size, and the pack being made or opened. */
import { type AppError, toAppError } from '../../electron/shared/errors.ts';
import type { Connection } from '../../electron/shared/model.ts';
import type { PackChoice, PackMade, PackPlan } from '../../electron/shared/pack-model.ts';
import { client } from '../lib/client.ts';

const PLAN_PAUSE_MS = 250;

export class PackState {
  plan = $state.raw<PackPlan | null>(null);
  isPlanning = $state(false);
  error = $state.raw<AppError | null>(null);
  /** Progress from 0 to 1; null if nothing is running. */
  share = $state<number | null>(null);
  made = $state.raw<(PackMade & { fileName: string }) | null>(null);
  file = $state.raw<{ fileName: string; sizeBytes: number } | null>(null);
  choice = $state.raw<PackChoice>({
    ...{ applications: [], datasets: [], experiments: [], charts: [], views: [], redact: [] },
  });

  /** `redact`: paths that are masked unless the user removes them. */
  constructor(redact: readonly string[] = []) {
    this.choice = { ...this.choice, redact: [...redact] };
  }

  #asked = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  listen(): () => void {
    const stop = client.on('pack:progress', ({ share }) => {
      if (this.share !== null) this.share = share;
    });
    return () => {
      stop();
      if (this.#timer !== null) clearTimeout(this.#timer);
      if (this.share !== null) void this.cancel();
    };
  }

  choose(connectionId: string, patch: Partial<PackChoice>): void {
    this.choice = { ...this.choice, ...patch };
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.isPlanning = true;
    this.#timer = setTimeout(() => void this.look(connectionId), PLAN_PAUSE_MS);
  }

  /** Reads the available content and the size of the selection. */
  async look(connectionId: string): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    this.isPlanning = true;
    try {
      const plan = await client.act('pack:act', 'plan', { connectionId, choice: this.choice });
      if (asked === this.#asked) this.plan = plan;
    } catch (thrown) {
      if (asked === this.#asked) this.error = toAppError(thrown);
    } finally {
      if (asked === this.#asked) this.isPlanning = false;
    }
  }

  async create(connectionId: string, passphrase: string): Promise<void> {
    await this.#run(async () => {
      this.made = await client.act('pack:act', 'create', { connectionId, choice: this.choice, passphrase });
    });
  }

  async chooseFile(): Promise<void> {
    try {
      this.file = (await client.act('pack:act', 'choose', {})) ?? this.file;
      this.error = null;
    } catch (thrown) {
      this.error = toAppError(thrown);
    }
  }

  /** Opens a pack. Returns null if it could not be opened; `error` has the reason. */
  async open(passphrase: string): Promise<Connection | null> {
    let opened: Connection | null = null;
    await this.#run(async () => {
      opened = await client.act('pack:act', 'open', { passphrase });
    });
    return opened;
  }

  async cancel(): Promise<void> {
    await client.act('pack:act', 'cancel', {});
  }

  async #run(work: () => Promise<void>): Promise<void> {
    this.share = 0;
    this.error = null;
    try {
      await work();
    } catch (thrown) {
      const error = toAppError(thrown);
      // If the user cancelled, no error is shown.
      this.error = error.code === 'CANCELLED' ? null : error;
    } finally {
      this.share = null;
    }
  }
}
