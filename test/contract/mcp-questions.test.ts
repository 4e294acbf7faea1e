/** Thirty questions that a user asks an agent. `spandeck mcp` answers each of them in at most three calls. */
import { expect, test } from 'vitest';
import { tokensOf } from '../../electron/cli/answer-shape.ts';
import { AgentClient } from '../helpers/agent-client.ts';
import { cliRig } from '../helpers/cli-rig.ts';

const rig = cliRig('mcp-questions');
const APPLICATION = 'Support assistant';
const DATASET = 'Support answers, golden set';
const MAX_TOKENS = 4_000;
const MAX_CALLS = 3;

type Answer = ReturnType<typeof JSON.parse>;
type Step = readonly [tool: string, input?: (before: Answer) => object];
interface Question {
  asked: string;
  steps: readonly Step[];
  /** Whether the last answer is an answer to the question. */
  isAnswered: (answer: Answer) => boolean;
}

const sql = (select: string): Step => ['sql', () => ({ select })];
const hasItems = ({ items }: Answer) => items.length > 0;
/** For a `select` that counts by a text: the most frequent text comes first. */
const isRanked = ({ items }: Answer) => items.length > 0 && Number(items[0].n) >= Number(items.at(-1).n);
const isCount = ({ items }: Answer) => Number(items[0].n) > 0;

const QUESTIONS: readonly Question[] = [
  { asked: 'What is stored here?', steps: [['overview']], isAnswered: hasItems },
  {
    asked: 'How many spans are stored?',
    steps: [sql('SELECT count(*) AS n FROM spans')],
    isAnswered: isCount,
  },
  {
    asked: 'Which application has the most spans?',
    steps: [sql('SELECT application, count(*) AS n FROM spans GROUP BY ALL ORDER BY n DESC')],
    isAnswered: ({ items }) => items[0].application === APPLICATION,
  },
  {
    asked: 'How many spans failed?',
    steps: [sql("SELECT count(*) AS n FROM spans WHERE status_code = 'ERROR'")],
    isAnswered: isCount,
  },
  {
    asked: 'What is the newest failure?',
    steps: [['spans', () => ({ status: 'ERROR', limit: 1 })]],
    isAnswered: ({ items }) => items[0].status_code === 'ERROR',
  },
  {
    asked: 'What happened in its trace?',
    steps: [
      ['spans', () => ({ status: 'ERROR', limit: 1 })],
      ['trace', ({ items }) => ({ trace_id: items[0].trace_id })],
    ],
    isAnswered: ({ items }) => items.length > 1,
  },
  {
    asked: 'Which failure is the most frequent?',
    steps: [
      sql(
        "SELECT status_message, count(*) AS n FROM spans WHERE status_code = 'ERROR' GROUP BY ALL ORDER BY n DESC",
      ),
    ],
    isAnswered: isRanked,
  },
  {
    asked: 'Which kind of span fails most often?',
    steps: [
      sql(
        "SELECT span_type, count(*) AS n FROM spans WHERE status_code = 'ERROR' GROUP BY ALL ORDER BY n DESC",
      ),
    ],
    isAnswered: isRanked,
  },
  {
    asked: 'Which failure grew in the second half of the week?',
    steps: [
      sql('SELECT min(start_time) AS first, max(start_time) AS last FROM spans'),
      [
        'sql',
        ({ items: [{ first, last }] }) => ({
          select: `SELECT status_message, count(*) FILTER (WHERE start_time >= '${new Date((Date.parse(first) + Date.parse(last)) / 2).toISOString()}') AS later, count(*) AS n FROM spans WHERE status_code = 'ERROR' GROUP BY ALL ORDER BY 2 * later - n DESC`,
        }),
      ],
    ],
    isAnswered: ({ items }) => items[0].later !== undefined,
  },
  {
    asked: 'Which spans are the slowest?',
    steps: [sql('SELECT trace_id, name, duration FROM spans ORDER BY duration DESC LIMIT 5')],
    isAnswered: ({ items }) => items.length === 5,
  },
  {
    asked: 'How long does a span of each type usually take?',
    steps: [sql('SELECT span_type, median(duration) AS usual FROM spans GROUP BY ALL')],
    isAnswered: hasItems,
  },
  {
    asked: 'How many sessions were there?',
    steps: [sql('SELECT count(DISTINCT session_id) AS n FROM spans')],
    isAnswered: isCount,
  },
  {
    asked: 'Which session was the longest?',
    steps: [
      sql('SELECT session_id, count(DISTINCT trace_id) AS n FROM spans GROUP BY ALL ORDER BY n DESC LIMIT 3'),
    ],
    isAnswered: isRanked,
  },
  {
    asked: 'What was said in the longest session?',
    steps: [
      sql('SELECT session_id, count(DISTINCT trace_id) AS n FROM spans GROUP BY ALL ORDER BY n DESC LIMIT 1'),
      ['spans', ({ items }) => ({ session: items[0].session_id, limit: 5 })],
    ],
    isAnswered: hasItems,
  },
  {
    asked: 'Where is a refund mentioned?',
    steps: [['search', () => ({ text: 'refund', limit: 5 })]],
    isAnswered: hasItems,
  },
  {
    asked: 'How many spans came each day?',
    steps: [
      sql('SELECT CAST(start_time AS DATE) AS day, count(*) AS n FROM spans GROUP BY ALL ORDER BY day'),
    ],
    isAnswered: ({ items }) => items.length > 1,
  },
  {
    asked: 'What do the columns of spans look like?',
    steps: [['profile', () => ({ table: 'spans', limit: 20 })]],
    isAnswered: hasItems,
  },
  {
    asked: 'Which datasets are there?',
    steps: [['list', () => ({ resource: 'datasets' })]],
    isAnswered: ({ items }) => items.some(({ name }: Answer) => name === DATASET),
  },
  {
    asked: 'How many items has the golden set?',
    steps: [['items', () => ({ dataset: DATASET, limit: 1 })]],
    isAnswered: ({ total }) => total > 1,
  },
  {
    asked: 'What is asked and expected in it?',
    steps: [['items', () => ({ dataset: DATASET, limit: 3, fields: ['inputs', 'expected_outputs'] })]],
    isAnswered: ({ items }) => items[0].inputs !== undefined,
  },
  {
    asked: 'Which versions of it are kept?',
    steps: [['versions', () => ({ dataset: DATASET })]],
    isAnswered: hasItems,
  },
  {
    asked: 'What changed between its versions?',
    steps: [
      ['versions', () => ({ dataset: DATASET })],
      ['diff', ({ items }) => ({ before: `${DATASET}@${items.at(-1).number}`, after: DATASET })],
    ],
    isAnswered: ({ counts }) => counts.same > 0,
  },
  {
    asked: 'Does it cover production?',
    steps: [['coverage', () => ({ dataset: DATASET })]],
    isAnswered: ({ fill }) => fill.candidates > 0,
  },
  {
    asked: 'Which models are watched?',
    steps: [['list', () => ({ resource: 'models' })]],
    isAnswered: hasItems,
  },
  {
    asked: 'Which alert rules are there, and with which thresholds?',
    steps: [
      [
        'list',
        () => ({ resource: 'alert-rules', fields: ['name', 'critical_threshold', 'warning_threshold'] }),
      ],
    ],
    isAnswered: hasItems,
  },
  {
    asked: 'What does one of them watch?',
    steps: [
      ['list', () => ({ resource: 'alert-rules', limit: 1 })],
      ['get', ({ items }) => ({ resource: 'alert-rules', id: items[0].id })],
    ],
    isAnswered: ({ metric, name }) => metric !== undefined && name !== '',
  },
  {
    asked: 'Which scores were computed?',
    steps: [['scores']],
    isAnswered: ({ items }) => items.length === 2,
  },
  {
    asked: 'Did the answers get better?',
    steps: [['scores'], ['compare_scores', ({ items }) => ({ before: items[1].id, after: items[0].id })]],
    isAnswered: ({ scores, counts }) => scores[0].runs[1].figures !== null && counts !== undefined,
  },
  { asked: 'Is any work unfinished?', steps: [['jobs']], isAnswered: ({ items }) => Array.isArray(items) },
  {
    asked: 'How much of the rate limits is left?',
    steps: [['limits']],
    isAnswered: (answer) => Object.values(answer).some(Array.isArray),
  },
];

test('thirty questions are answered in at most three small calls each, without a request', async () => {
  await rig.run('spans', '--application', APPLICATION, '--since', '7d', '--all');
  for (const list of ['applications', 'datasets', 'models']) await rig.run(list, '--all');
  const { items: rules } = await rig.answered('ls', 'alert-rules', '--all');
  await rig.run('get', 'alert-rules', rules[0].id);
  await rig.run('catalog', APPLICATION, '--entity-type', 'span_type', '--all');
  await rig.run('items', DATASET, '--all');
  await rig.run('coverage', DATASET);
  for (const check of ['words', 'characters'])
    await rig.answered(
      ...['score-items', DATASET, '--check', 'length', '--unit', check, '--most', '40', '--name', 'short'],
      ...['--input', 'text=expected_outputs.answer'],
    );
  await rig.run('agents', 'open', rig.connectionId);
  const requests = rig.service.report().requests;
  await using agent = await AgentClient.start(rig.folder);

  expect(QUESTIONS).toHaveLength(30);
  const wrong: string[] = [];
  for (const { asked, steps, isAnswered } of QUESTIONS) {
    expect(steps.length, asked).toBeLessThanOrEqual(MAX_CALLS);
    let answer: Answer = null;
    for (const [tool, input = () => ({})] of steps) {
      const called = await agent.call(tool, input(answer));
      expect(called, `${asked} ${called.text}`).toMatchObject({ isError: false });
      expect(tokensOf(called.text), asked).toBeLessThanOrEqual(MAX_TOKENS);
      answer = called.answer;
    }
    if (!isAnswered(answer)) wrong.push(`${asked} ${JSON.stringify(answer).slice(0, 300)}`);
  }
  expect(wrong).toEqual([]);
  expect(rig.service.report().requests).toBe(requests);
});
