/**
 * Privacy mode of the window. A style sheet masks fields. Hidden texts elsewhere (tooltips, accessible names,
 * sentences, buttons) are replaced with dots as soon as they are in the document, before they are painted. The values
 * themselves do not change, so sorting, copying, exporting and forms are not affected.
 */
import { fieldsOf, maskedSelector } from '../lib/private-fields.ts';
import { dotted, type PrivateTexts } from '../lib/private-texts.ts';

const ATTRIBUTES = ['title', 'aria-label', 'aria-description', 'aria-valuetext', 'placeholder', 'alt'];
/** Attributes that are masked entirely. Accessible names are not, as that of a button states its action. */
const WHOLE = new Set(['title', 'aria-description', 'aria-valuetext', 'placeholder', 'alt']);
/** Marks inputs whose value contains a hidden text: the value is not changed. */
const HIDDEN_VALUE = 'data-hidden-value';
const VALUES = 'input:not([type="checkbox"], [type="radio"]), textarea';
const UNTOUCHED = 'script, style, textarea, [contenteditable="true"]';
const INTERACTIVE = 'button, a, input, select, textarea, [role="button"], [role="tab"]';

interface Hidden {
  plain: string;
  shown: string;
}

export class PrivacyMask {
  readonly #root: HTMLElement;
  readonly #texts: PrivateTexts;
  readonly #sheet = new CSSStyleSheet();
  readonly #nodes = new WeakMap<Text, Hidden>();
  readonly #attributes = new WeakMap<Element, Map<string, Hidden>>();
  readonly #observer = new MutationObserver((records) => this.#changed(records));
  #masked: string | null = null;

  constructor(root: HTMLElement, texts: PrivateTexts) {
    this.#root = root;
    this.#texts = texts;
  }

  /** Takes effect at once. `fields`: in the user's notation; `names`: names of things that are open or connected. */
  set(isOn: boolean, fields: string, names: readonly string[]): void {
    this.#texts.added = fieldsOf(fields);
    for (const name of names) this.#texts.add(name);
    this.#observer.disconnect();
    document.removeEventListener('input', this.#typed, { capture: true });
    document.removeEventListener('focusout', this.#typed, { capture: true });
    if (this.#masked !== null) this.#each(this.#root, (node) => this.#uncover(node));
    this.#masked = isOn ? maskedSelector(fields) : null;
    this.#sheet.replaceSync(
      this.#masked === null
        ? ''
        : `:is(${this.#masked}, [${HIDDEN_VALUE}]) { -webkit-text-security: disc !important; }`,
    );
    if (!document.adoptedStyleSheets.includes(this.#sheet)) document.adoptedStyleSheets.push(this.#sheet);
    if (this.#masked === null) return;
    this.#each(this.#root, (node) => this.#cover(node));
    this.#observer.observe(this.#root, {
      ...{ subtree: true, childList: true, characterData: true },
      attributeFilter: [...ATTRIBUTES, 'data-field', 'data-private'],
    });
    document.addEventListener('input', this.#typed, { capture: true });
    document.addEventListener('focusout', this.#typed, { capture: true });
  }

  readonly #typed = (event: Event): void => {
    if (event.target instanceof Element) this.#coverValue(event.target);
  };

  #changed(records: readonly MutationRecord[]): void {
    for (const { type, target, attributeName, addedNodes } of records) {
      if (type === 'childList') for (const node of addedNodes) this.#each(node, (each) => this.#cover(each));
      else if (type === 'characterData' && target instanceof Text) this.#coverText(target);
      else if (target instanceof Element && attributeName?.startsWith('data-') === true)
        this.#each(target, (each) => this.#cover(each));
      else if (target instanceof Element && attributeName !== null)
        this.#coverAttribute(target, attributeName);
    }
    this.#coverValues();
  }

  /**
   * Code that sets a value creates no mutation record, so values are checked whenever something around them changes.
   */
  #coverValues(): void {
    for (const field of this.#root.querySelectorAll(VALUES)) this.#coverValue(field);
  }

  #each(root: Node, act: (node: Node) => void): void {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node: Node | null = root; node !== null; node = walker.nextNode()) act(node);
  }

  #cover(node: Node): void {
    if (node instanceof Text) this.#coverText(node);
    if (!(node instanceof Element)) return;
    for (const name of ATTRIBUTES) if (node.hasAttribute(name)) this.#coverAttribute(node, name);
    this.#coverValue(node);
  }

  #isMasked(element: Element | null): boolean {
    return this.#masked !== null && element !== null && element.closest(this.#masked) !== null;
  }

  #coverText(node: Text): void {
    const known = this.#nodes.get(node);
    if (known?.shown === node.data || node.data.trim() === '') return;
    const { parentElement } = node;
    if (parentElement === null || parentElement.closest(UNTOUCHED) !== null || this.#isMasked(parentElement))
      return;
    const plain = node.data;
    const shown = this.#texts.hide(plain);
    if (shown === plain) return;
    this.#nodes.set(node, { plain, shown });
    node.data = shown;
  }

  #coverAttribute(element: Element, name: string): void {
    const plain = element.getAttribute(name);
    const all = this.#attributes.get(element) ?? new Map<string, Hidden>();
    if (plain === null || plain === '' || all.get(name)?.shown === plain) return;
    const shown = this.#shownAttribute(element, name, plain);
    if (shown === plain) return;
    this.#attributes.set(element, all.set(name, { plain, shown }));
    element.setAttribute(name, shown);
  }

  #shownAttribute(element: Element, name: string, plain: string): string {
    const isWhole = WHOLE.has(name) || !element.matches(INTERACTIVE);
    if (isWhole && this.#isMasked(element)) return dotted(plain);
    return this.#withoutMasked(element, this.#texts.hide(plain));
  }

  /** Removes a tooltip that would reveal the text of a masked element. */
  #withoutMasked(element: Element, said: string): string {
    if (this.#masked === null) return said;
    return [...element.querySelectorAll(this.#masked)]
      .map(({ textContent }) => textContent.trim())
      .filter((text) => text.length > 2)
      .reduce((left, text) => left.replaceAll(text, dotted(text)), said);
  }

  #coverValue(element: Element): void {
    if (!(element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)) return;
    element.toggleAttribute(HIDDEN_VALUE, this.#texts.hide(element.value) !== element.value);
  }

  #uncover(node: Node): void {
    if (node instanceof Text) {
      const known = this.#nodes.get(node);
      if (known?.shown === node.data) node.data = known.plain;
      this.#nodes.delete(node);
    }
    if (!(node instanceof Element)) return;
    for (const [name, { plain, shown }] of this.#attributes.get(node) ?? [])
      if (node.getAttribute(name) === shown) node.setAttribute(name, plain);
    this.#attributes.delete(node);
    node.removeAttribute(HIDDEN_VALUE);
  }
}
