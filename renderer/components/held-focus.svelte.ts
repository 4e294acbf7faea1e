/**
 * Keeps the focus on a button that becomes disabled, e.g. while its work runs or because nothing is left to undo. A
 * browser would move the focus to the page, where keys of the view do nothing and Tab starts from the beginning.
 */
import type { Attachment } from 'svelte/attachments';
import { on } from 'svelte/events';

const PRESSES: ReadonlySet<string> = new Set(['Enter', ' ']);
/** Keys that press a button or open its menu. */
const MENU_PRESSES: ReadonlySet<string> = new Set([...PRESSES, 'ArrowDown', 'ArrowUp']);

export class HeldFocus {
  #hasFocus = $state(false);
  readonly #isOff: () => boolean;
  readonly #presses: ReadonlySet<string>;

  constructor(isOff: () => boolean, presses = MENU_PRESSES) {
    this.#isOff = isOff;
    this.#presses = presses;
  }

  /** Shortcuts with Ctrl or Command belong to the view, not to the button. */
  #isPress({ key, ctrlKey, metaKey }: KeyboardEvent): boolean {
    return this.#presses.has(key) && !ctrlKey && !metaKey;
  }

  /** With the focus, the button is only marked as disabled, and `attach` ignores its presses. */
  get attributes(): { disabled: boolean; 'aria-disabled': true | undefined } {
    const isOff = this.#isOff();
    const isHeld = isOff && this.#hasFocus;
    return { disabled: isOff && !isHeld, 'aria-disabled': isHeld || undefined };
  }

  readonly attach: Attachment<HTMLButtonElement> = (button) => {
    const ignore = (event: Event) => {
      if (!this.#isOff() || (event instanceof KeyboardEvent && !this.#isPress(event))) return;
      event.preventDefault();
      event.stopImmediatePropagation();
    };
    const stops = [
      on(button, 'focus', () => (this.#hasFocus = true)),
      // If the whole window loses the focus, e.g. to a dialog of the system, the button remains the active element.
      on(button, 'blur', () => (this.#hasFocus = document.activeElement === button)),
      ...(['click', 'pointerdown', 'keydown'] as const).map((type) =>
        on(button, type, ignore, { capture: true }),
      ),
    ];
    return () => {
      for (const stop of stops) stop();
    };
  };
}

/**
 * Disables a plain `<button>` while `isOff` is true, and keeps its focus meanwhile. In its styles, a disabled button is
 * `:is(:disabled, :global([aria-disabled='true']))`.
 */
export const disabledIf =
  (isOff: () => boolean): Attachment<HTMLButtonElement> =>
  (button) => {
    const held = new HeldFocus(isOff, PRESSES);
    $effect(() => {
      const { disabled, 'aria-disabled': isMarked } = held.attributes;
      button.disabled = disabled;
      button.ariaDisabled = isMarked === true ? 'true' : null;
    });
    return held.attach(button);
  };
