/**
 * Tests a view visually and with an accessibility checker: takes screenshots, runs axe, and checks that nothing is cut
 * off or covered.
 */
import AxeBuilder from '@axe-core/playwright';
import type { Page, TestInfo } from '@playwright/test';
import { expect } from './app.ts';
import { TOURS } from './tours.ts';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Sizes of the window, the smallest last: screenshots are taken there, where space is limited. */
export const SIZES: readonly Size[] = [
  { width: 1280, height: 800 },
  { width: 1000, height: 640 },
];
export const SMALL = SIZES.slice(1);
export const USUAL = SIZES.slice(0, 1);
export type Theme = 'light' | 'dark';

/**
 * The elements that are cut off, covered or out of view in the window, one line each. Runs in the window. Text in cells
 * of grids may be cut off, as the user can resize columns and the tooltip has the full text.
 */
function layoutFaults(): string[] {
  const faults: string[] = [];
  const root = document.scrollingElement ?? document.documentElement;
  if (root.scrollWidth > window.innerWidth || root.scrollHeight > window.innerHeight)
    faults.push(`the page scrolls: ${root.scrollWidth} x ${root.scrollHeight}`);
  const view = document.querySelector('main');
  if (view !== null && view.scrollWidth > view.clientWidth) faults.push('the view is wider than its place');
  const nameOf = (element: Element): string => {
    const name = element.getAttribute('aria-label') ?? element.textContent ?? '';
    return `${element.tagName.toLowerCase()} “${name.replace(/\s+/g, ' ').trim().slice(0, 60)}”`;
  };
  const isShown = (element: Element): boolean =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  /** The part of an element that the boxes around it do not clip. */
  const visibleBox = (element: Element): DOMRect => {
    let { left, top, right, bottom } = element.getBoundingClientRect();
    for (let up = element.parentElement; up !== null; up = up.parentElement) {
      if (getComputedStyle(up).overflow === 'visible') continue;
      const box = up.getBoundingClientRect();
      left = Math.max(left, box.left);
      top = Math.max(top, box.top);
      right = Math.min(right, box.right);
      bottom = Math.min(bottom, box.bottom);
    }
    return new DOMRect(left, top, right - left, bottom - top);
  };
  const isSticky = (element: Element | null): boolean => {
    for (let up = element; up !== null; up = up.parentElement)
      if (getComputedStyle(up).position === 'sticky') return true;
    return false;
  };
  const dialog = document.querySelector('[role="dialog"], [role="alertdialog"]');
  const scope = dialog ?? document;
  for (const element of scope.querySelectorAll('button, a[href], input, [role="tab"], [role="switch"]')) {
    if (!isShown(element) || element.closest('[role="grid"], [aria-hidden="true"]') !== null) continue;
    const box = visibleBox(element);
    const whole = element.getBoundingClientRect();
    // Scrolled away, which the user can undo by scrolling.
    if (box.width < whole.width / 2 || box.height < whole.height / 2 || whole.width < 4) continue;
    const x = box.left + box.width / 2;
    const y = box.top + box.height / 2;
    const top = document.elementFromPoint(x, y);
    const label = element.closest('label');
    // A sticky element covers content that the user can scroll out from under it; a message disappears on its own.
    const isUnderEdge = isSticky(top) || (top?.closest('[data-sonner-toast]') ?? null) !== null;
    const isFree =
      top !== null && (element.contains(top) || top.contains(element) || label?.contains(top) || isUnderEdge);
    if (!isFree) faults.push(`${nameOf(element)} is covered by ${top === null ? 'nothing' : nameOf(top)}`);
  }
  for (const element of view?.querySelectorAll('h1 ~ .actions button') ?? []) {
    const box = element.getBoundingClientRect();
    if (box.left < 0 || box.right > window.innerWidth || visibleBox(element).width < box.width - 1)
      faults.push(`${nameOf(element)} of the header is out of sight`);
  }
  return faults;
}

/** Texts of headings, buttons and tabs that are cut off and cannot be read in full. Runs in the window. */
function cutTexts(): string[] {
  const dialog = document.querySelector('[role="dialog"], [role="alertdialog"]');
  const faults: string[] = [];
  const texts =
    'main h1, main h2, main h3, main button, main [role="tab"], nav button, header button, footer *';
  const scope = dialog ?? document;
  for (const element of scope.querySelectorAll(dialog === null ? texts : 'h2, button')) {
    const isShown = element.checkVisibility({ opacityProperty: true, visibilityProperty: true });
    if (!isShown || element.closest('[role="gridcell"], [role="row"]') !== null) continue;
    const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 4;
    const hides = getComputedStyle(element).overflowX !== 'visible';
    if (isCut && hides && !element.hasAttribute('title'))
      faults.push(`“${element.textContent.trim().slice(0, 60)}” is cut off`);
  }
  return faults;
}

/** True once nothing in the view loads, and its content has been stable for some frames. Runs in the window. */
function isSettled(): Promise<boolean> {
  const state = (): string => {
    const view = document.querySelector('main') ?? document.body;
    const busy = view.querySelector('[aria-busy="true"], .skeleton, .turn');
    return busy === null ? (view.textContent ?? '') : '…';
  };
  const frame = (): Promise<unknown> => new Promise((resolve) => requestAnimationFrame(resolve));
  return (async () => {
    const before = state();
    for (let count = 0; count < 2; count += 1) await frame();
    return before !== '…' && before !== '' && state() === before;
  })();
}

/**
 * Resolves once no colour transition is running. Runs in the window. Requests each frame, because a transition that is
 * out of view requests none and would never end.
 */
async function coloursSettle(): Promise<void> {
  const isRunning = (each: Animation): boolean =>
    each instanceof CSSTransition && each.playState === 'running';
  do await new Promise((resolve) => requestAnimationFrame(resolve));
  while (document.getAnimations().some(isRunning));
}

export class Look {
  readonly page: Page;
  readonly #testInfo: TestInfo;
  readonly #theme: Theme;
  readonly #sizes: readonly Size[];
  readonly #takesPictures: boolean;
  #count = 0;

  constructor(page: Page, theme: Theme, testInfo: TestInfo, sizes: readonly Size[] = SIZES) {
    this.page = page;
    this.#theme = theme;
    this.#takesPictures = testInfo.project.name === TOURS;
    // Elements are cut off or covered only if space is limited, so the small size suffices without screenshots.
    this.#sizes = this.#takesPictures ? sizes : SMALL;
    this.#testInfo = testInfo;
  }

  /** Waits until the view has its final content. */
  async settle(): Promise<void> {
    await expect.poll(() => this.page.evaluate(isSettled), { intervals: [20] }).toBe(true);
  }

  /** Checks the layout at every size, takes a screenshot at the last one, and runs axe there. */
  async at(name: string, { asksAxe = true }: LookOptions = {}): Promise<void> {
    const { page } = this;
    this.#count += 1;
    const number = String(this.#count).padStart(3, '0');
    for (const size of this.#sizes) {
      await page.setViewportSize(size);
      await this.settle();
      const faults = [...(await page.evaluate(layoutFaults)), ...(await page.evaluate(cutTexts))];
      expect.soft(faults, `${name}, ${this.#theme}, ${size.width}`).toEqual([]);
    }
    if (this.#takesPictures) {
      const file = this.#testInfo.outputPath(`${number}-${name}-${this.#theme}.png`);
      await page.screenshot({ path: file, animations: 'disabled' });
    }
    if (!asksAxe) return;
    await this.#axe(name, this.#theme);
    if (this.#takesPictures || this.#theme === 'dark') return;
    // The other theme differs only in its colours.
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.evaluate(coloursSettle);
    await this.#axe(name, 'dark', ['color-contrast']);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.evaluate(coloursSettle);
  }

  async #axe(name: string, theme: Theme, rules: string[] | null = null): Promise<void> {
    // Legacy mode checks the page in place. The other mode opens a page of its own, which has none of our protections.
    const axe = new AxeBuilder({ page: this.page })
      .setLegacyMode(true)
      // Messages appear and disappear, and while one fades, its colours are mixed.
      .exclude('[data-sonner-toaster]')
      .options({
        resultTypes: ['violations'],
        ...(rules === null ? {} : { runOnly: { type: 'rule', values: rules } }),
      });
    const { violations } = await axe.analyze();
    const found = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) =>
        nodes.map(({ target, html }) => `${id}: ${target.join(' ')} ${html.slice(0, 160)}`),
      );
    expect.soft(found, `${name}, ${theme}: axe`).toEqual([]);
  }
}

export interface LookOptions {
  readonly asksAxe?: boolean;
}
