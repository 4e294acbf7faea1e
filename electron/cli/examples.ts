/** One or two ways of using each command, as the help shows them. */
import type { CommandName } from './command-specs.ts';

export const EXAMPLES: Readonly<Record<CommandName, readonly string[]>> = {
  test: ['test --base-url https://example.com'],
  ls: ['ls projects', 'ls baselines --model "Bank churn" --all --json'],
  get: ['get models "Bank churn"'],
  create: [`create projects --body '{"name": "Trial"}'`],
  update: [`update datasets "Edge cases" --body '{"active": false}'`],
  delete: ['delete baselines "Last year" --yes', 'delete traces 4bf92f35 --application "Support" --yes'],
  spans: ['spans --application "Support assistant" --since 7d'],
  'span-fields': ['span-fields --application "Support assistant" --since 24h'],
  query: ['query --body @query.json --since 30d'],
  score: [`score --evaluator-name conciseness --inputs '{"response": "Yes."}'`],
  applications: ['applications --search support'],
  catalog: ['catalog "Support assistant" --entity-type attribute'],
  values: ['values "Support assistant" --entity-type attribute --name country'],
  attributes: ['attributes --all'],
  models: ['models --ordering name'],
  datasets: ['datasets --search claims'],
  items: ['items "Edge cases" --limit 20'],
  schema: ['schema "Edge cases"'],
  upload: [
    'upload churn.csv --model "Bank churn" --dry-run',
    'upload churn.csv --model "Bank churn" --start-at 02:00',
  ],
  'upload-file': ['upload-file churn.parquet --model "Bank churn"'],
  uploads: ['uploads', 'uploads receipts 3f2a9c --output receipts.csv'],
  'from-spans': [
    `from-spans "Edge cases" --application "Support assistant" --spans spans.csv --mapping '{"inputs": {"question": "llm.input"}}' --plan`,
  ],
  builds: ['builds resume', 'builds forget 3f2a9c --yes'],
  'score-items': [
    'score-items "Edge cases" --evaluator conciseness --input response=expected_outputs.answer',
  ],
  scores: ['scores retry 3f2a9c --output scores.csv'],
  changes: ['changes', 'changes resume 3f2a9c'],
  damaged: ['damaged', 'damaged remove 3f2a9c --yes'],
  planned: ['planned', 'planned change 3f2a9c --start-at 02:00'],
  'delete-events': [
    'delete-events --model "Bank churn" --ids a1,b2',
    'delete-events --model "Bank churn" --start "2026-05-01 00:00:00" --end "2026-05-02 00:00:00" --yes',
  ],
  budget: ['budget', 'budget spans --watch'],
  traffic: ['traffic --status problems', 'traffic --har requests.har'],
  request: ['request GET /v3/models --query limit=5', 'request --list'],
  help: ['help upload'],
  completion: ['completion bash'],
};
