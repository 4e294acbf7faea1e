/** A row's height follows the density setting, which styles hold. Returns what ends the watching. */
export function watchRowHeight(element: HTMLElement, take: (height: number) => void): () => void {
  const style = getComputedStyle(element);
  const read = () => take(Number.parseFloat(style.getPropertyValue('--row-height')) || 28);
  read();
  const observer = new MutationObserver(read);
  observer.observe(document.documentElement, { attributeFilter: ['data-density'] });
  return () => observer.disconnect();
}
