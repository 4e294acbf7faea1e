/**
 * Announces texts of status regions that appear together with their text. A screen reader announces a live region
 * reliably only if the region exists before its text, so one region that always exists repeats these texts. Later
 * changes are announced by the status regions themselves.
 */
const STATUS = '[role="status"]';

/**
 * The text of the status regions among the added nodes. Regions deeper inside are ignored, as they appear together with
 * a view.
 */
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
 * Attached to the element that holds the region. The region is in a closed shadow tree, as its text is only a copy: it
 * must not be found or selected as content of the window.
 */
export function announcing(holder: HTMLElement): () => void {
  const region = document.createElement('div');
  region.ariaLive = 'polite';
  holder.attachShadow({ mode: 'closed' }).append(region);
  const observer = new MutationObserver((records) => {
    const text = textOf(records);
    if (text === '') return;
    // A new node is announced even if its text is the same as the previous one.
    const line = document.createElement('span');
    line.textContent = text;
    region.replaceChildren(line);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  return () => observer.disconnect();
}
