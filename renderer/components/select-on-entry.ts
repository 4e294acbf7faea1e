/**
 * Selects the text of a field when it is entered by keyboard or by a click, so that typing replaces the text. A second
 * click places the cursor. If the click selects a part of the text, that selection is kept.
 */
export function selectOnEntry(field: HTMLInputElement): () => void {
  let isEntering = false;
  const press = () => {
    isEntering = document.activeElement !== field;
  };
  const select = () => field.select();
  const release = () => {
    // The click that entered the field placed the cursor, which removed the selection.
    if (isEntering && field.selectionStart === field.selectionEnd) field.select();
    isEntering = false;
  };
  field.addEventListener('pointerdown', press);
  field.addEventListener('focus', select);
  field.addEventListener('click', release);
  return () => {
    field.removeEventListener('pointerdown', press);
    field.removeEventListener('focus', select);
    field.removeEventListener('click', release);
  };
}
