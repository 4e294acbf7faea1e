/**
 * Collects private texts from the main process's answers: immediately while privacy mode is on, so that they
 * are known before anything is drawn, and in idle time while it is off, so that no answer is delayed.
 */

import type { PrivateTexts } from './private-texts.ts';
import { isObject } from './records.ts';

/** Maximum number of queued answers; older ones are no longer shown, or are read again. */
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

  /** If privacy mode is turned on, queued answers are processed now and new ones immediately. */
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

/** The operation of a list or record, otherwise the channel. */
function aboutOf(channel: string, argument: unknown): string {
  const query = isObject(argument) ? argument['query'] : null;
  return isObject(query) && typeof query['operation'] === 'string' ? query['operation'] : channel;
}
