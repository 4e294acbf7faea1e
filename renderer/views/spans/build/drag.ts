/** Drag and drop between the parts of a mapping and of a review. */
import { parseExact } from '../../../../electron/shared/exact-json.ts';

export const KEYS_TYPE = 'application/x-spandeck-keys';
export const ENTRY_TYPE = 'application/x-spandeck-entry';
/** MIME type of a drag with noted spans. Its data are their positions, separated by spaces. */
export const NOTES_TYPE = 'application/x-spandeck-notes';

/** The dragged keys; null if something else is dragged. */
export function draggedKeys(event: DragEvent): string[] | null {
  const text = event.dataTransfer?.getData(KEYS_TYPE) ?? '';
  if (text === '') return null;
  const keys = parseExact(text);
  return Array.isArray(keys) ? keys.filter((key): key is string => typeof key === 'string') : null;
}

/** Index of the dragged field in the mapping; null if something else is dragged. */
export function draggedEntry(event: DragEvent): number | null {
  const text = event.dataTransfer?.getData(ENTRY_TYPE) ?? '';
  return text === '' ? null : Number(text);
}

/** Whether a part of a mapping is being dragged. Its content is only known once it is dropped. */
export function isOurs(event: DragEvent): boolean {
  const types = event.dataTransfer?.types ?? [];
  return types.includes(KEYS_TYPE) || types.includes(ENTRY_TYPE);
}
