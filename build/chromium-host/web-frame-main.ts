/** A window's main frame, as exposed by `webContents.mainFrame` and `event.senderFrame`. */
import { HostObject } from './unsupported.ts';
import { originOf } from './urls.ts';

export class WebFrameMain extends HostObject {
  readonly parent = null;
  readonly #getUrl: () => string;
  readonly #evaluate: (code: string, hasGesture: boolean) => Promise<unknown>;

  constructor(getUrl: () => string, evaluate: (code: string, hasGesture: boolean) => Promise<unknown>) {
    super();
    this.#getUrl = getUrl;
    this.#evaluate = evaluate;
  }

  get url(): string {
    return this.#getUrl();
  }

  get origin(): string {
    return originOf(this.#getUrl());
  }

  get top(): WebFrameMain {
    return this;
  }

  executeJavaScript(code: string, userGesture = false): Promise<unknown> {
    return this.#evaluate(code, userGesture);
  }
}
