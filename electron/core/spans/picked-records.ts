/** Iterates over picked spans, each with its picked record. */

interface PickedSpan {
  position: number;
  traceId: string;
  spanId: string;
  startTime: string | null;
  name: string | null;
  spanType: string | null;
}

/** The methods of the span store that are used here. */
interface PickedStore {
  after(
    buildId: string,
    filter: { states: null; shapeIds: null },
    position: number,
    limit: number,
  ): readonly PickedSpan[];
  records(buildId: string, positions: readonly number[]): ReadonlyMap<number, string>;
}

/** Number of records in memory at once, because records may be large. */
const SPANS_AT_ONCE = 50;

/**
 * The spans from this position on, in picking order. `text`: their JSON; only ids if nothing else is known of a span.
 */
export function* eachPicked(
  spans: PickedStore,
  buildId: string,
  from: number,
): Generator<{ position: number; text: string }> {
  for (let position = from; ; ) {
    const page = spans.after(buildId, { states: null, shapeIds: null }, position, SPANS_AT_ONCE);
    const texts = spans.records(
      buildId,
      page.map((span) => span.position),
    );
    for (const span of page)
      yield { position: span.position, text: texts.get(span.position) ?? JSON.stringify(identityOf(span)) };
    const last = page.at(-1);
    if (last === undefined || page.length < SPANS_AT_ONCE) return;
    position = last.position + 1;
  }
}

const identityOf = ({ traceId, spanId, startTime, name, spanType }: PickedSpan) => ({
  ...{ trace_id: traceId, span_id: spanId },
  ...(startTime === null ? {} : { start_time: startTime }),
  ...(name === null ? {} : { name }),
  ...(spanType === null ? {} : { span_type: spanType }),
});
