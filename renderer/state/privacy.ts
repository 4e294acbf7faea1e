/** Puts the masks of privacy mode over the window, and takes them away. */
import { maskedSelector } from '../lib/privacy.ts';

const sheet = new CSSStyleSheet();
let masked: string | null = null;
/** Hints of masked things would say on hover what is masked. */
const hints = new Map<HTMLElement, string>();

function hideHints(event: Event): void {
  if (masked === null) return;
  for (let at = event.target; at instanceof HTMLElement; at = at.parentElement) {
    if (at.title === '' || (at.closest(masked) === null && at.querySelector(masked) === null)) continue;
    hints.set(at, at.title);
    at.removeAttribute('title');
  }
}

/** Counts at once. `fields`: as a person writes them, beside those that say who and where. */
export function maskWindow(isOn: boolean, fields: string): void {
  masked = isOn ? maskedSelector(fields) : null;
  sheet.replaceSync(masked === null ? '' : `:is(${masked}) { -webkit-text-security: disc !important; }`);
  if (!document.adoptedStyleSheets.includes(sheet)) document.adoptedStyleSheets.push(sheet);
  document.removeEventListener('mouseover', hideHints, { capture: true });
  if (masked !== null) {
    document.addEventListener('mouseover', hideHints, { capture: true });
    return;
  }
  for (const [element, hint] of hints) element.title = hint;
  hints.clear();
}
