/**
 * Converts JSON objects over several lines and OpenTelemetry exports to one object per line; each span gets its own
 * line.
 */

import { isObject } from '../../core/items/flattened.ts';
import { spansOfExport, spansOfResource } from '../../core/spans/otlp.ts';
import { counted } from '../../shared/count-text.ts';
import { parseExact, writeExact } from '../../shared/exact-json.ts';
import type { Heartbeat } from '../heartbeat.ts';
import type { CopyWriter } from './copy-writer.ts';
import { JsonPieces } from './json-pieces.ts';

const BOM = Buffer.from([0xef, 0xbb, 0xbf]);

/** Returns notes for the person. Throws FILE_MALFORMED for an object that is too long, DISK_FULL. */
export async function unpackJson(
  path: string,
  name: string,
  writer: CopyWriter,
  heartbeat: Heartbeat,
): Promise<{ notes: string[] }> {
  const pieces = new JsonPieces(name);
  let spans = 0;
  const write = async (found: ReturnType<JsonPieces['push']>) => {
    for (const { kind, text } of found) {
      const inside = kind === 'rest' ? null : spansIn(kind, text);
      if (inside === null) await writer.text(`${text}\n`);
      for (const span of inside ?? []) {
        spans += 1;
        await writer.text(`${writeExact(span)}\n`);
      }
    }
  };
  let isFirst = true;
  for await (const bytes of heartbeat.stream(path)) {
    const piece: Buffer = bytes;
    await write(pieces.push(isFirst && piece.subarray(0, 3).equals(BOM) ? piece.subarray(3) : piece));
    isFirst = false;
  }
  await write(pieces.end());
  const note = `OpenTelemetry: ${counted(spans, 'span')} of an export, a row each.`;
  return { notes: [spans > 0 ? note : 'JSON: objects over several lines, a row each.'] };
}

/** The spans of an export or of one of its groups; null for anything else, which stays unchanged. */
function spansIn(kind: 'value' | 'group', text: string): unknown[] | null {
  // Only parsing can tell, and most values are no exports.
  if (kind === 'value' && !/"resource_?[sS]pans"/.test(text)) return null;
  try {
    const value = parseExact(text);
    if (kind === 'group') return spansOfResource(value);
    return isObject(value) ? spansOfExport(value) : null;
  } catch {
    // The reader of the row reports the error.
    return null;
  }
}
