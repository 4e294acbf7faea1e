/** Infers the type of a span from attributes of instrumentation libraries, if the span states none. Pure. */

/** Attributes that state a type. The first one present is used. */
const TYPE_KEYS = [
  ...['openinference.span.kind', 'traceloop.span.kind', 'mlflow.spanType', 'langfuse.observation.type'],
  ...['lmnr.span.type', 'langsmith.span.kind', 'gen_ai.operation.name', 'ai.operationId'],
  ...['span_kind', 'run_type'],
] as const;
/**
 * Attributes whose value may also be something other than a type, such as an operation, or the kind of a call in
 * OpenTelemetry.
 */
const OTHER_USE: ReadonlySet<string> = new Set([
  ...['gen_ai.operation.name', 'ai.operationId', 'span_kind', 'run_type'],
]);

const TYPES: Readonly<Record<string, string>> = {
  ...{ llm: 'llm', chat_model: 'llm', generation: 'llm', chat: 'llm', text_completion: 'llm' },
  ...{ generate_content: 'llm', completion: 'llm' },
  ...{ 'ai.generatetext.dogenerate': 'llm', 'ai.streamtext.dostream': 'llm' },
  ...{ 'ai.generateobject.dogenerate': 'llm', 'ai.streamobject.dostream': 'llm' },
  ...{ tool: 'tool', execute_tool: 'tool', 'ai.toolcall': 'tool' },
  ...{ agent: 'agent', invoke_agent: 'agent', create_agent: 'agent' },
  ...{ chain: 'chain', workflow: 'chain', task: 'chain', span: 'chain' },
  ...{ 'ai.generatetext': 'chain', 'ai.streamtext': 'chain' },
  ...{ retriever: 'retriever', retrieval: 'retriever', reranker: 'reranker' },
  ...{ embedding: 'embedding', embeddings: 'embedding', 'ai.embed.doembed': 'embedding' },
};

/**
 * Null if the attributes state no type. An unknown word is used as the type itself, unless it is the name of an
 * operation.
 */
export function spanTypeOf(attributes: ReadonlyMap<string, unknown>): string | null {
  for (const key of TYPE_KEYS) {
    const value = attributes.get(key);
    // MLflow writes its values as JSON.
    const word = typeof value === 'string' ? value.replace(/^"(.*)"$/, '$1') : '';
    if (word === '') continue;
    const type = TYPES[word.toLowerCase()];
    if (type !== undefined) return type;
    if (!OTHER_USE.has(key)) return word.toLowerCase();
  }
  return null;
}
