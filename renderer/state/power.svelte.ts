/** Power supply and network of the computer, as far as the browser knows them. */
import type { Job } from '../../electron/shared/job-contract.ts';
import {
  heldBy,
  type PowerRules,
  type PowerState,
  UNKNOWN_POWER,
} from '../../electron/shared/power-model.ts';
import { activeRepeat } from '../../electron/shared/repeat-model.ts';
import { client as realClient } from '../lib/client.ts';

type Client = Pick<typeof realClient, 'invoke' | 'on'>;

/** The used parts of Chromium's interfaces. Each of them may be missing. */
interface Battery extends EventTarget {
  charging: boolean;
  level: number;
}
interface Connection extends EventTarget {
  saveData?: boolean;
  type?: string;
}
interface Known {
  getBattery?: () => Promise<Battery>;
  connection?: Connection;
}

/**
 * Whether the connection is metered. Only a clear indication counts: the user saves data, or it is a mobile network.
 */
function isMeteredOn(connection: Connection | undefined): boolean | null {
  if (connection?.saveData === true || connection?.type === 'cellular') return true;
  return connection?.type === 'ethernet' ? false : null;
}

export class ComputerPower {
  state = $state.raw<PowerState>(UNKNOWN_POWER);
  readonly #client: Client;
  readonly #known: Known;

  constructor(client: Client = realClient, known: Known = navigator as Known) {
    this.#client = client;
    this.#known = known;
  }

  /** Reports changes to the main process, and follows its state. */
  async follow(): Promise<void> {
    this.#client.on('app:power-changed', (state) => {
      this.state = state;
    });
    const { connection } = this.#known;
    // Without permission, or without a battery in the computer, there is no battery object.
    const battery = (await this.#known.getBattery?.().catch(() => null)) ?? null;
    const report = () => void this.#report(battery, connection);
    for (const change of ['chargingchange', 'levelchange']) battery?.addEventListener(change, report);
    connection?.addEventListener('change', report);
    await this.#report(battery, connection);
  }

  async #report(battery: Battery | null, connection: Connection | undefined): Promise<void> {
    // `charging` is also true if the browser does not know, so only false counts.
    const isOnBattery = battery?.charging === false ? true : null;
    const charge = battery === null || (battery.charging && battery.level === 1) ? null : battery.level;
    const news = { isOnBattery, charge, isMetered: isMeteredOn(connection) };
    this.state = await this.#client.invoke('app:report-power', news);
  }

  /**
   * `on battery, until the computer is plugged in` for a planned job whose start time has passed; empty if it does not
   * wait for that.
   */
  heldText(
    job: Pick<Job, 'kind' | 'state' | 'startAtMs' | 'repeat'>,
    rules: PowerRules,
    nowMs: number,
  ): string {
    if (job.startAtMs === null || job.startAtMs > nowMs) return '';
    const isAutomatic = job.kind === 'keep-offline' || activeRepeat(job) !== null;
    return isAutomatic ? (heldBy(this.state, rules) ?? '') : '';
  }
}

export const power: ComputerPower = new ComputerPower();
