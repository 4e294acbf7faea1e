/** Focuses the first form field with a problem, so that the user can continue there. */

/** To be called after the problems are set, once they are drawn. */
export function showFirstProblem(form: HTMLElement | undefined): void {
  requestAnimationFrame(() => {
    const control = form?.querySelector<HTMLElement>('[aria-invalid="true"], button.invalid') ?? null;
    const part = control?.closest('details') ?? null;
    // The control may be in a collapsed part, where it could not get the focus.
    if (part !== null) part.open = true;
    control?.focus();
  });
}
