/** Reads the stored spans of an application for a dry run of an evaluator rule. No request is sent. */
import type { Clock } from '../core/ports.ts';
import { DryRun, FieldSearch } from '../core/spans/rule-dry-run.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { Library } from '../library/types.ts';
import type { RuleDraft, RuleDryRun } from '../shared/rule-dry-run.ts';

const MAX_SPANS = 20_000;
/** Spans in a page, which is read within a few milliseconds. */
const PAGE = 50;
const SHOWN = 50;

interface Parts {
  library: Pick<Library, 'storedLists' | 'readStored'>;
  clock: Clock;
}

/** Throws the errors of reading the library. */
export async function dryRunRule(parts: Parts, draft: RuleDraft): Promise<RuleDryRun> {
  const search = new FieldSearch(draft.filters);
  let rowsRead = 0;
  for await (const page of storedSpans(parts, draft.applicationId)) {
    if (search.isOver || rowsRead >= MAX_SPANS) break;
    for (const span of page) search.add(span);
    rowsRead += page.length;
  }
  const run = new DryRun(draft, SHOWN, search.isKnown);
  for await (const page of storedSpans(parts, draft.applicationId)) {
    for (const span of page) {
      if (run.spans >= MAX_SPANS && !run.has(span)) return run.result(true);
      run.add(span);
    }
  }
  return run.result(false);
}

/** Pages of all stored lists of the application; a span may be in several lists. */
async function* storedSpans({ library, clock }: Parts, applicationId: string) {
  const slicer = new TimeSlicer(clock);
  const queries = library
    .storedLists()
    .map(({ query }) => query)
    .filter(
      ({ operation, body }) => operation === 'spans.query' && body?.['application_id'] === applicationId,
    );
  for (const query of queries) {
    for (let from = 0; ; from += PAGE) {
      const rows = await library.readStored(query, from, PAGE);
      yield rows.map(({ record }) => record);
      if (rows.length < PAGE) break;
      await slicer.pause();
    }
  }
}
