/**
 * The presses that a window received: pointer buttons and keys. Text that is typed into one field counts as one press,
 * and a modifier that is held for another key does not count.
 */
import type { Page } from '@playwright/test';

/** Runs in the window. */
function countFromNow(): void {
  const { dataset } = document.documentElement;
  const isCounting = dataset['presses'] !== undefined;
  dataset['presses'] = '0';
  if (isCounting) return;
  let field: EventTarget | null = null;
  const add = () => {
    dataset['presses'] = String(Number(dataset['presses']) + 1);
  };
  const isField = (target: EventTarget | null) =>
    target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
  window.addEventListener(
    'pointerdown',
    ({ isTrusted }) => {
      field = null;
      if (isTrusted) add();
    },
    true,
  );
  window.addEventListener(
    'keydown',
    ({ isTrusted, key, target, ctrlKey, metaKey, altKey }) => {
      if (!isTrusted || ['Control', 'Shift', 'Alt', 'Meta'].includes(key)) return;
      const isText = key.length === 1 && isField(target) && !(ctrlKey || metaKey || altKey);
      const continues = isText && field === target;
      field = isText ? target : null;
      if (!continues) add();
    },
    true,
  );
}

export class Presses {
  readonly #page: Page;

  private constructor(page: Page) {
    this.#page = page;
  }

  static async countedIn(page: Page): Promise<Presses> {
    const presses = new Presses(page);
    await presses.restart();
    return presses;
  }

  async restart(): Promise<void> {
    await this.#page.evaluate(countFromNow);
  }

  async count(): Promise<number> {
    return Number(await this.#page.locator('html').getAttribute('data-presses'));
  }
}
