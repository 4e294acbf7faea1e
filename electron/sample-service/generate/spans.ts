/** Traces of an application: an agent span and its steps. */
import type { SpanStore } from '../store-spans.ts';
import type { SeededRandom } from './seeded-random.ts';
import { type Dialogue, type Domain, dialogue } from './text.ts';
import {
  CHAT_MODELS,
  ENVIRONMENTS,
  FINISH_REASONS,
  PROVIDERS,
  SERVICES,
  TOOLS,
  VERSIONS,
} from './vocabulary.ts';

interface SpanPlan {
  applicationId: string;
  traceCount: number;
  domain: Domain;
  agents: readonly [string, ...string[]];
  baseMs: number;
}

interface Step {
  type: 'llm' | 'tool' | 'chain';
  name: string;
  input: string;
  output: string;
  attributes: Record<string, unknown>;
}

const SPREAD_MS = 14 * 86_400_000;
const FAILED_SHARE = 0.03;
const CONVERSATION = 'system.gen_ai.conversation.id';

/** Estimates the number of tokens in a text. */
function tokens(text: string): number {
  return Math.max(1, Math.round(text.length / 4.2));
}

function llmStep(random: SeededRandom, plan: SpanPlan, name: string, input: string, output: string): Step {
  const model = random.pick(CHAT_MODELS);
  const provider = PROVIDERS[CHAT_MODELS.indexOf(model) % PROVIDERS.length];
  const [inputTokens, outputTokens] = [tokens(plan.domain.systemPrompt + input), tokens(output)];
  return {
    type: 'llm',
    name,
    input,
    output,
    attributes: {
      'system.gen_ai.request.model': model,
      'system.gen_ai.response.model': model,
      'system.gen_ai.system': provider,
      'system.gen_ai.provider.name': provider,
      'system.gen_ai.response.finish_reasons': FINISH_REASONS[outputTokens % FINISH_REASONS.length],
      'system.gen_ai.operation.name': 'chat',
      'system.gen_ai.usage.input_tokens': inputTokens,
      'system.gen_ai.usage.output_tokens': outputTokens,
      'system.gen_ai.usage.total_tokens': inputTokens + outputTokens,
      'system.gen_ai.llm.input.system': plan.domain.systemPrompt,
      'system.gen_ai.llm.input.user': input,
      'system.gen_ai.llm.output': output,
      'user.cost_usd': Number(((inputTokens + 3 * outputTokens) * 0.000_002).toFixed(6)),
    },
  };
}

function stepsOf(random: SeededRandom, plan: SpanPlan, talk: Dialogue): Step[] {
  const steps: Step[] = [
    llmStep(random, plan, 'classify_request', talk.question, talk.topic.intent),
    {
      type: 'tool',
      name: 'search_passages',
      input: JSON.stringify({ query: talk.question, top_k: 4 }),
      output: talk.context,
      attributes: {
        'system.gen_ai.operation.name': 'execute_tool',
        'system.gen_ai.tool.name': 'search_passages',
        'system.gen_ai.tool.type': 'datastore',
        'system.gen_ai.llm.context': talk.context,
        'user.retrieval.hits': random.int(1, 4),
      },
    },
    { type: 'chain', name: 'compose_answer', input: talk.question, output: talk.answer, attributes: {} },
    llmStep(random, plan, 'draft_answer', `${talk.context}\n\n${talk.question}`, talk.answer),
  ];
  if (random.chance(0.5)) {
    const reference = random.int(10_000, 99_999);
    const name = TOOLS[reference % TOOLS.length] ?? TOOLS[0];
    steps.push({
      type: 'tool',
      name,
      input: JSON.stringify({ reference }),
      output: JSON.stringify({ found: true, stage: random.pick(['intake', 'review', 'done']) }),
      attributes: {
        'system.gen_ai.operation.name': 'execute_tool',
        'system.gen_ai.tool.name': name,
        'system.gen_ai.tool.type': reference % 3 === 0 ? 'extension' : 'function',
      },
    });
  }
  if (random.chance(0.4)) {
    steps.push(
      llmStep(random, plan, 'review_answer', talk.answer, random.pick(['accepted', 'accepted', 'shorten'])),
    );
  }
  return steps;
}

/** Adds the spans and returns their number. */
export function generateSpans(store: Pick<SpanStore, 'add'>, random: SeededRandom, plan: SpanPlan): number {
  const traces = Array.from({ length: plan.traceCount }, () => traceOf(random, plan));
  joinSessions(traces);
  for (const { frame, records } of traces) {
    for (const record of records) {
      store.add({
        applicationId: plan.applicationId,
        traceId: frame.traceId,
        spanId: record.span_id,
        sessionId: frame.sessionId,
        startMs: Date.parse(record.start_time),
        record,
      });
    }
  }
  return traces.reduce((count, { records }) => count + records.length, 0);
}

/** Numbers of traces in consecutive sessions, repeated in turn. */
const SESSION_TRACES = [3, 1, 4, 2] as const;

/** Groups consecutive traces of one agent into sessions, because users return. */
function joinSessions(traces: readonly Trace[]): void {
  for (const own of Map.groupBy(traces, ({ frame }) => frame.agentName).values()) {
    const inTime = own.toSorted((one, other) => one.startMs - other.startMs);
    for (let from = 0, turn = 0; from < inTime.length; turn += 1) {
      const to = from + (SESSION_TRACES[turn % SESSION_TRACES.length] ?? 1);
      const id = inTime[from]?.frame.sessionId ?? '';
      for (const { frame, records } of inTime.slice(from, to)) {
        frame.sessionId = id;
        for (const record of records) {
          record.session_id = id;
          if (CONVERSATION in record.span_attributes) record.span_attributes[CONVERSATION] = id;
        }
      }
      from = to;
    }
  }
}

interface TraceFrame {
  traceId: string;
  rootId: string;
  sessionId: string;
  agentName: string;
  talk: Dialogue;
}

function sharedFields(frame: TraceFrame) {
  return {
    trace_id: frame.traceId,
    session_id: frame.sessionId,
    agent_id: `${frame.agentName.toLowerCase().replaceAll(' ', '-')}-1`,
    agent_name: frame.agentName,
  };
}

const attributesOf = (attributes: Record<string, unknown>): Record<string, unknown> => attributes;

function stepRecord(random: SeededRandom, frame: TraceFrame, step: Step, startMs: number) {
  const isFailed = random.chance(FAILED_SHARE);
  return {
    ...sharedFields(frame),
    span_id: random.hex(16),
    name: step.name,
    status_code: isFailed ? 'ERROR' : 'OK',
    start_time: new Date(startMs).toISOString(),
    duration: step.type === 'llm' ? random.int(400, 4_500) : random.int(15, 600),
    parent_span_id: frame.rootId,
    span_type: step.type,
    status_message: isFailed ? 'The step ended with a time-out.' : '',
    input: step.input,
    output: isFailed ? '' : step.output,
    span_attributes: attributesOf({ ...step.attributes, 'user.intent': frame.talk.topic.intent }),
    evaluators: [],
  };
}

function rootRecord(
  random: SeededRandom,
  frame: TraceFrame,
  span: { startMs: number; endMs: number; isFailed: boolean },
) {
  return {
    ...sharedFields(frame),
    span_id: frame.rootId,
    name: 'handle_request',
    status_code: span.isFailed ? 'ERROR' : 'OK',
    start_time: new Date(span.startMs).toISOString(),
    duration: span.endMs - span.startMs,
    parent_span_id: null,
    span_type: 'agent',
    status_message: '',
    input: frame.talk.question,
    output: frame.talk.answer,
    span_attributes: attributesOf({
      'system.gen_ai.operation.name': 'invoke_agent',
      'system.gen_ai.agent.name': frame.agentName,
      'system.service.name': SERVICES[span.startMs % SERVICES.length],
      'system.service.version': VERSIONS[span.startMs % VERSIONS.length],
      'system.deployment.environment.name': ENVIRONMENTS[span.endMs % ENVIRONMENTS.length],
      [CONVERSATION]: frame.sessionId,
      'user.intent': frame.talk.topic.intent,
      'user.category': frame.talk.topic.category,
    }),
    evaluators: [
      {
        evaluator_rule_name: 'Answer relevance',
        output_name: 'is_answer_relevant',
        value: random.chance(0.9) ? 1 : 0,
        label: null,
      },
    ],
  };
}

type Trace = ReturnType<typeof traceOf>;
type SpanRecord = ReturnType<typeof stepRecord> | ReturnType<typeof rootRecord>;

function traceOf(random: SeededRandom, plan: SpanPlan) {
  const frame: TraceFrame = {
    traceId: random.hex(32),
    rootId: random.hex(16),
    sessionId: `session-${random.hex(10)}`,
    agentName: random.pick(plan.agents),
    talk: dialogue(random, plan.domain),
  };
  const startMs = plan.baseMs - random.int(60_000, SPREAD_MS);
  let endMs = startMs;
  const steps = stepsOf(random, plan, frame.talk).map((step) => {
    const record = stepRecord(random, frame, step, endMs);
    endMs += record.duration;
    return record;
  });
  const isFailed = steps.some((step) => step.status_code === 'ERROR');
  const records: SpanRecord[] = [rootRecord(random, frame, { startMs, endMs, isFailed }), ...steps];
  return { frame, startMs, records };
}
