/** Reads the stored spans of an application for a dry run of an evaluator rule. No request is sent. */
import type { Clock } from '../core/ports.ts';
import { DryRun } from '../core/spans/rule-dry-run.ts';
import { TimeSlicer } from '../core/time-slicer.ts';
import type { Library } from '../library/types.ts';
import type { RuleDraft, RuleDryRun } from '../shared/rule-dry-run.ts';

const MAX_SPANS = 20_000;
/** A page of this many spans is read within a few milliseconds. */
const PAGE = 50;
const SHOWN = 50;

interface Parts {
  library: Pick<Library, 'storedLists' | 'readStored'>;
  clock: Clock;
}

/** Throws the errors of reading the library. */
export async function dryRunRule({ library, clock }: Parts, draft: RuleDraft): Promise<RuleDryRun> {
  const run = new DryRun(draft, SHOWN);
  const slicer = new TimeSlicer(clock);
  const queries = library
    .storedLists()
    .map(({ query }) => query)
    .filter(
      ({ operation, body }) =>
        operation === 'spans.query' && body?.['application_id'] === draft.applicationId,
    );
  for (const query of queries) {
    for (let from = 0; ; from += PAGE) {
      if (run.spans >= MAX_SPANS) return run.result(true);
      const rows = await library.readStored(query, from, PAGE);
      for (const { record } of rows) run.add(record);
      if (rows.length < PAGE) break;
      await slicer.pause();
    }
  }
  return run.result(false);
}
