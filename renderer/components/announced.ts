/**
 * Announces texts of status regions that appear with their text: a screen reader announces a live region reliably only
 * if it exists before its text. One region that always exists repeats them; later changes are announced by the regions.
 */
const STATUS = '[role="status"]';

/** The text of the status regions among the added nodes; regions deeper in them appear together with a view. */
function textOf(records: readonly MutationRecord[]): string {
  const texts = records.flatMap(({ addedNodes }) =>
    [...addedNodes].flatMap((node) =>
      node instanceof HTMLElement && node.matches(STATUS) && node.isConnected
        ? [node.innerText.replaceAll(/\s+/g, ' ').trim()]
        : [],
    ),
  );
  return [...new Set(texts)].filter((text) => text !== '').join(' ');
}

/**
 * For the element that holds the region, in a closed tree: the text is a copy, which is neither found nor selected as
 * content of the window.
 */
export function announcing(holder: HTMLElement): () => void {
  const region = document.createElement('div');
  region.ariaLive = 'polite';
  holder.attachShadow({ mode: 'closed' }).append(region);
  const observer = new MutationObserver((records) => {
    const text = textOf(records);
    if (text === '') return;
    // A new node is announced, even if its text is the same as before.
    const line = document.createElement('span');
    line.textContent = text;
    region.replaceChildren(line);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return () => observer.disconnect();
}
