/**
 * Selects the text of a field when the field is entered by keyboard or by a press, so that typing replaces it. A
 * second press places the cursor. A press that selects a part of the text keeps that selection.
 */
export function selectOnEntry(field: HTMLInputElement): () => void {
  let isEntering = false;
  const press = () => {
    isEntering = document.activeElement !== field;
  };
  const select = () => field.select();
  const release = () => {
    // The press that entered the field has placed the cursor, which ended the selection.
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
