/** The expected output of an item, as edited in a review. Pure. */
import type { ItemBuckets, Mapping } from './dataset-model.ts';
import { parseExact } from './exact-json.ts';

/** Field for the expected output if no key is mapped to it. */
const USUAL_FIELD = 'expected_output';

/** The field that is edited: the first of the expected outputs. */
export function expectedField(mapping: Mapping): string {
  const first = mapping.find(({ bucket, field }) => bucket === 'expected_outputs' && field !== '');
  return first?.field ?? USUAL_FIELD;
}

/** The expected output as editable text; null if the item has none. */
export function expectedText(item: ItemBuckets | null, mapping: Mapping): string | null {
  const value = item?.expected_outputs[expectedField(mapping)];
  if (value === undefined || value === null) return null;
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}

/** The item with the edited text. If the value was not a text, the edit is parsed as JSON if possible. */
export function withExpected(item: ItemBuckets, mapping: Mapping, edited: string): ItemBuckets {
  const field = expectedField(mapping);
  const before = item.expected_outputs[field];
  const isText = before === undefined || before === null || typeof before === 'string';
  const value = isText ? edited : jsonOr(edited);
  return { ...item, expected_outputs: { ...item.expected_outputs, [field]: value } };
}

function jsonOr(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}
