/** `clipboard` through a hidden page, the only one with permission to read it. */
import type { CdpSession } from './cdp.ts';
import { getRunning } from './host.ts';
import { HOST_ORIGIN } from './network.ts';
import { HostObject } from './unsupported.ts';

export class Clipboard extends HostObject {
  #page: Promise<CdpSession> | undefined;

  async readText(): Promise<string> {
    return String(await this.#run('navigator.clipboard.readText()'));
  }

  async writeText(text: string): Promise<void> {
    await this.#run(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
  }

  async #open(): Promise<CdpSession> {
    const { connection } = getRunning().chromium;
    // A separate origin, so that the app's pages do not get the permission as well.
    for (const name of ['clipboard-read', 'clipboard-write']) {
      const permission = { name, allowWithoutSanitization: false };
      await connection.send('Browser.setPermission', { permission, setting: 'granted', origin: HOST_ORIGIN });
    }
    const { targetId } = await connection.send('Target.createTarget', {
      url: 'about:blank',
      hidden: true,
      background: true,
    });
    const page = await connection.attach(String(targetId));
    await page.send('Emulation.setFocusEmulationEnabled', { enabled: true });
    await page.send('Page.enable');
    const loaded = new Promise((resolve) => page.once('Page.loadEventFired', resolve));
    await page.send('Page.navigate', { url: `${HOST_ORIGIN}/` });
    await loaded;
    return page;
  }

  async #run(expression: string): Promise<unknown> {
    this.#page ??= this.#open();
    const page = await this.#page;
    const answer = await page.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    const { result, exceptionDetails } = answer as {
      result?: { value?: unknown; description?: string };
      exceptionDetails?: object;
    };
    if (exceptionDetails !== undefined) throw new Error(`clipboard: ${result?.description ?? 'refused'}`);
    return result?.value;
  }
}

export const clipboard: Clipboard = new Clipboard();
