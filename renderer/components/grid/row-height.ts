/** Cached by density and number of lines, because reading styles would force a layout. */
const heights = new Map<string, number>();

function heightNow(element: HTMLElement, lines: number): number {
  const key = `${document.documentElement.dataset['density'] ?? ''} ${lines}`;
  let height = heights.get(key);
  if (height === undefined) {
    height = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-height')) || 28;
    heights.set(key, height);
  }
  return height;
}

/**
 * Watches the row height, which styles derive from the density setting. Returns a function that stops
 * watching.
 */
export function watchRowHeight(
  element: HTMLElement,
  take: (height: number) => void,
  lines: 1 | 2 = 1,
): () => void {
  const read = () => take(heightNow(element, lines));
  read();
  const observer = new MutationObserver(read);
  observer.observe(document.documentElement, { attributeFilter: ['data-density'] });
  return () => observer.disconnect();
}
