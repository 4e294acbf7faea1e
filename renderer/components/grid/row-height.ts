/** Cache by density, as reading the styles would force a layout. */
const heights = new Map<string, number>();

function heightNow(element: HTMLElement): number {
  const density = document.documentElement.dataset['density'] ?? '';
  let height = heights.get(density);
  if (height === undefined) {
    height = Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-height')) || 28;
    heights.set(density, height);
  }
  return height;
}

/**
 * Watches the row height, which styles derive from the density setting. Returns a function that stops
 * watching.
 */
export function watchRowHeight(element: HTMLElement, take: (height: number) => void): () => void {
  const read = () => take(heightNow(element));
  read();
  const observer = new MutationObserver(read);
  observer.observe(document.documentElement, { attributeFilter: ['data-density'] });
  return () => observer.disconnect();
}
