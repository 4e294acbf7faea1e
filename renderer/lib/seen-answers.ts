/**
 * Collects private texts from answers of the main process. While privacy mode is on it does so at once, so that the
 * texts are known before anything is drawn; while it is off it uses idle time, so that no answer is delayed.
 */

import type { PrivateTexts } from './private-texts.ts';
import { isObject } from './records.ts';

/** Maximum number of queued answers. The content of older ones is no longer shown, or will be read again. */
const MAX_WAITING = 300;

interface Seen {
  answer: unknown;
  about: string;
}

export class SeenAnswers {
  readonly #texts: PrivateTexts;
  readonly #whenIdle: (work: () => void) => void;
  #waiting: Seen[] = [];
  #isAtOnce = false;
  #isAsked = false;

  constructor(texts: PrivateTexts, whenIdle: (work: () => void) => void) {
    this.#texts = texts;
    this.#whenIdle = whenIdle;
  }

  /** When privacy mode is turned on, processes the queued answers now and every later one at once. */
  takeAtOnce(isAtOnce: boolean): void {
    this.#isAtOnce = isAtOnce;
    if (!isAtOnce) return;
    for (const { answer, about } of this.#waiting.splice(0)) this.#texts.collect(answer, about);
  }

  see(channel: string, argument: unknown, answer: unknown): void {
    const about = aboutOf(channel, argument);
    if (this.#isAtOnce) {
      this.#texts.collect(answer, about);
      return;
    }
    this.#waiting.push({ answer, about });
    if (this.#waiting.length > MAX_WAITING) this.#waiting.shift();
    this.#ask();
  }

  #ask(): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    this.#whenIdle(() => {
      this.#isAsked = false;
      const next = this.#waiting.shift();
      if (next !== undefined) this.#texts.collect(next.answer, next.about);
      if (this.#waiting.length > 0) this.#ask();
    });
  }
}

/** The operation of a list or record; for other answers the channel. */
function aboutOf(channel: string, argument: unknown): string {
  const query = isObject(argument) ? argument['query'] : null;
  return isObject(query) && typeof query['operation'] === 'string' ? query['operation'] : channel;
}
