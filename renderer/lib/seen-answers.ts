/**
 * Private texts of what the main process answers: taken at once while privacy mode is on, so that nothing is painted
 * before it is known, and in idle moments while it is off, so that no answer waits for it.
 */

import type { PrivateTexts } from './private-texts.ts';
import { isObject } from './records.ts';

/** Of answers that wait; what came before is shown no more, or comes again. */
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

  /** Privacy mode is on: all that waits is taken, and what comes at once. */
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

/** The operation of a list or record, else the channel. */
function aboutOf(channel: string, argument: unknown): string {
  const query = isObject(argument) ? argument['query'] : null;
  return isObject(query) && typeof query['operation'] === 'string' ? query['operation'] : channel;
}
