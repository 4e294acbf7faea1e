/**
 * Finds the spans of a call that a 422 mentions. The wording of its messages is not published, but the span ids are
 * known. Pure.
 */

import type { SpanRef } from '../../shared/dataset-model.ts';
import { elementAt } from '../element-at.ts';

interface FailedSpans {
  /** Index of the span in the call → message about it. */
  messages: Map<number, string>;
  /** Messages that mention no span of the call. */
  unmatched: string[];
}

const WORD = /[0-9a-z_-]+/gi;

/** Finds the spans of a call in the messages of a rejection by their ids, whatever the wording and case. */
export function failedSpans(
  issues: readonly { reason: string; message: string }[],
  spans: readonly SpanRef[],
): FailedSpans {
  const bySpanId = new Map<string, number[]>();
  spans.forEach(({ span_id }, index) => {
    const id = span_id.toLowerCase();
    bySpanId.set(id, [...(bySpanId.get(id) ?? []), index]);
  });
  const found: FailedSpans = { messages: new Map(), unmatched: [] };
  for (const { reason, message } of issues) {
    const text = message.toLowerCase();
    const told = message === '' ? reason : message;
    const words = new Set(text.match(WORD) ?? []);
    const named = [...words].flatMap((word) => bySpanId.get(word) ?? []);
    const candidates = named.length > 0 ? named : oddlyNamed(text, bySpanId);
    const chosen = byTrace(candidates, spans, text);
    for (const index of chosen) found.messages.set(index, told);
    if (chosen.length === 0) found.unmatched.push(told);
  }
  return found;
}

/** Finds ids that contain characters other than those of words. */
function oddlyNamed(text: string, bySpanId: ReadonlyMap<string, readonly number[]>): number[] {
  return [...bySpanId].flatMap(([id, indexes]) =>
    id.match(WORD)?.[0] !== id && text.includes(id) ? indexes : [],
  );
}

/** Spans of different traces may share an id. If the message names a trace, the trace decides. */
function byTrace(candidates: readonly number[], spans: readonly SpanRef[], text: string): number[] {
  if (candidates.length < 2) return [...candidates];
  const withTrace = candidates.filter((index) =>
    text.includes(elementAt(spans, index).trace_id.toLowerCase()),
  );
  return withTrace.length > 0 ? withTrace : [...candidates];
}
