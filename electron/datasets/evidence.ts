/**
 * Determines whether a call whose answer was lost was stored. Searches the dataset for its items, by their source span
 * if the service names it, otherwise by content. A call is stored completely or not at all (SERVICE.md S4.9 rule 4).
 * Pure.
 */

import type { BuildEvidence } from '../shared/build-batch-model.ts';
import { counted, numberText } from '../shared/count-text.ts';

/** An item of the dataset for which this computer has no receipt. */
export interface FoundItem {
  id: string;
  sourceId: string | null;
  /** Key of the contents of its four buckets; equal for equal contents. */
  content: string;
  /** Wall time of its creation by the clock of the service; null if the service does not name it. */
  createdMs: number | null;
}

interface ExpectedSpan {
  traceId: string;
  spanId: string;
  /** The id generated here before the call; null if the service assigns it. */
  itemId: string | null;
  /** Key of the expected contents; null if no record of the span is stored. */
  content: string | null;
}

/** Maximum expected difference of the service's clock from the one of this computer. */
const CLOCK_MARGIN_MS = 300_000;

interface UnknownCall {
  batch: number;
  sentAtMs: number;
  spans: readonly ExpectedSpan[];
}

export interface EvidenceInput {
  calls: readonly UnknownCall[];
  /** Null if the items could not be read. */
  items: readonly FoundItem[] | null;
  /** The reason why items could not be read, or were not read completely; empty if they were. */
  note: string;
  /** Whether the service states the source span of an item, judged by acknowledged items. */
  namesSpans: boolean;
  nowMs: number;
  settleMs: number;
}

export interface Judgement {
  evidence: BuildEvidence;
  /** For each span, the id of its item; null if it was not found. */
  itemIds: (string | null)[];
}

/** A judgement for every call, by the number of the call. */
export function judgeCalls(input: EvidenceInput): Map<number, Judgement> {
  const { calls, items, note, nowMs } = input;
  const undecided = (facts: string[], spans: number): Judgement => ({
    evidence: { verdict: 'undecided', facts, atMs: nowMs },
    itemIds: Array.from({ length: spans }, () => null),
  });
  if (items === null) {
    return new Map(
      calls.map(({ batch, spans }) => [
        batch,
        undecided([`The items could not be read: ${note}`], spans.length),
      ]),
    );
  }
  const spanIds = new Set(calls.flatMap(({ spans }) => spans.map(({ spanId }) => spanId)));
  const namesSpans =
    input.namesSpans || items.some(({ sourceId }) => sourceId !== null && spanIds.has(sourceId));
  const own = new Set(calls.flatMap(({ spans }) => spans.map(({ itemId }) => itemId)));
  const ids = new Set(items.map(({ id }) => id));
  const left = Map.groupBy(
    items.filter(({ id }) => !own.has(id)),
    (item) => (namesSpans ? item.sourceId : item.content),
  );
  return new Map(
    calls.map((call) => {
      const found = call.spans.map((span) => {
        if (span.itemId !== null) return ids.has(span.itemId) ? span.itemId : null;
        return takeItem(left.get(namesSpans ? span.spanId : span.content), span, call.sentAtMs);
      });
      const evidence = judge(call, found, { ...input, namesSpans });
      return [call.batch, { evidence, itemIds: found.map((item) => (isId(item) ? item : null)) }];
    }),
  );
}

/**
 * Takes the item of a span from candidates that match by name or content. An item is used only once, because two spans
 * with equal content need two items. `other`: some candidates name the span but have other contents. `older`: those
 * with its contents were there before the call was sent.
 */
function takeItem(candidates: FoundItem[] | undefined, { content }: ExpectedSpan, sentAtMs: number): FoundId {
  if (candidates === undefined || candidates.length === 0) return null;
  const isEqual = (item: FoundItem) => content === null || item.content === content;
  const isNew = ({ createdMs }: FoundItem) => createdMs === null || createdMs >= sentAtMs - CLOCK_MARGIN_MS;
  const index = candidates.findLastIndex((item) => isEqual(item) && isNew(item));
  if (index < 0) return candidates.some(isEqual) ? 'older' : 'other';
  return candidates.splice(index, 1)[0]?.id ?? null;
}

type FoundId = string | null | 'other' | 'older';
const isId = (item: FoundId): boolean => item !== null && item !== 'other' && item !== 'older';

function judge(call: UnknownCall, items: readonly FoundId[], input: EvidenceInput): BuildEvidence {
  const { nowMs, settleMs, note, namesSpans } = input;
  const wanted = call.spans.length;
  const found = items.filter(isId).length;
  const others = items.filter((id) => id === 'other').length;
  const older = items.filter((id) => id === 'older').length;
  const facts = [
    `${numberText(found)} of ${counted(wanted, 'item')} of this request ${found === 1 ? 'is' : 'are'} in the dataset.`,
    ...(note === '' ? [] : [note]),
  ];
  const say = (verdict: BuildEvidence['verdict'], ...more: string[]): BuildEvidence => ({
    verdict,
    facts: [...facts, ...more],
    atMs: nowMs,
  });
  if (found === wanted) return say('stored', 'The service stores all of a request or nothing.');
  if (older > 0)
    return say(
      'undecided',
      `The dataset has ${counted(older, 'item')} with this content from before the request was sent.`,
    );
  if (others > 0)
    return say(
      'undecided',
      `The dataset has ${counted(others, 'item')} from these spans with other content.`,
    );
  if (found > 0) {
    return say(
      'undecided',
      'The service stores all of a request or nothing, so these items may come from elsewhere.',
    );
  }
  const blind = namesSpans ? 0 : call.spans.filter(({ content }) => content === null).length;
  if (blind > 0) {
    return say(
      'undecided',
      `Only the ids of ${counted(blind, 'span')} are stored here, so their items cannot be recognised.`,
    );
  }
  if (note !== '') return say('undecided');
  const waitMs = settleMs - Math.max(0, nowMs - call.sentAtMs);
  if (waitMs > 0) {
    return say(
      'undecided',
      `The service may still be working on it. Check again in ${Math.ceil(waitMs / 1_000)} s.`,
    );
  }
  return say('not-stored', 'The service had enough time to store it.');
}
