/** The first field of a form with a problem gets the focus, where the person who sent the form continues. */

/** Call it after the problems are set: they are drawn before. */
export function showFirstProblem(form: HTMLElement | undefined): void {
  requestAnimationFrame(() => {
    const control = form?.querySelector<HTMLElement>('[aria-invalid="true"], button.invalid') ?? null;
    const part = control?.closest('details') ?? null;
    // A control in a closed part cannot be focused.
    if (part !== null) part.open = true;
    control?.focus();
  });
}
