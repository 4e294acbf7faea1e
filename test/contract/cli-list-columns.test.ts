/** A list shows its most useful columns, and says that there are more. */
import { expect, test } from 'vitest';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('cli-list-columns');
const SPANS = ['spans', '--application', 'Support assistant', '--since', '1d', '--limit', '2'];

test.each<[string[], RegExp, RegExp]>([
  [
    SPANS,
    /^start_time +duration +status_code +span_type +name +input/,
    /^\d{4}-\d\d-\d\dT\S+ +[\d,.]+ ms +\w+ +\w+ +\w+/m,
  ],
  [
    ['ls', 'alert-rules.summary', '--since', '60d', '--limit', '2'],
    /^name +model +metric\.display_name +latest_alert_record_value +latest_alert_record_severity/,
    /Auto insurance value +\S.* +[\d.]+ +(CRITICAL|WARNING)\b/,
  ],
  [
    ['ls', 'alert-rules.records', '--alert', 'Premium and income drift', '--since', '60d', '--limit', '2'],
    /^alert_time_bucket +alert_value +severity/,
    /^\d{4}-\d\d-\d\dT00:00/m,
  ],
  [
    ['items', 'Support answers, golden set', '--limit', '2'],
    /^id +inputs\.question +inputs\.context +expected_outputs\.answer/,
    /^[\da-f-]{36} +[^{]+$/m,
  ],
  [
    ['experiments', 'results', 'Baseline, prompt v1', '--limit', '2'],
    /^experiment_item\.id +experiment_item\.status +experiment_item\.duration_ms +scores\.relevance/,
    /^[\da-f-]{36} +SUCCESS +[\d,]+ ms +[\d.]+ /m,
  ],
])('%j', async (words, heads, row) => {
  const { stdout } = await rig.run(...words);
  expect(stdout).toMatch(heads);
  expect(stdout).toMatch(row);
  expect(stdout).toMatch(/^2 of \S+ · as of \S+ · \d+ of \d+ fields; others: --fields A,B\n$/m);
});

test('chosen fields are not said to be a part', async () => {
  expect((await rig.run(...SPANS, '--fields', 'trace_id,span_id')).stderr).toMatch(/^2 of \S+ · as of \S+$/m);
});
