/** A generated export of spans in the form that the service's tools write: flat rows with a column per attribute. */
const hex = (seed: number, digits: number): string =>
  Array.from({ length: digits }, (_, at) => (((seed + 1) * (at + 7) * 31) % 16).toString(16)).join('');

/** The span at this index. The types llm, tool and chain alternate, and missing values are empty texts. */
export function exportedSpan(at: number): Record<string, unknown> {
  const type = (['llm', 'tool', 'chain'] as const)[at % 3] ?? 'llm';
  const traceId = `${hex(Math.floor(at / 9), 24)}${String(Math.floor(at / 9)).padStart(8, '0')}`;
  const isLlm = type === 'llm';
  return {
    trace_id: traceId,
    span_id: `${hex(at, 8)}${String(at).padStart(8, '0')}`,
    parent_span_id: at % 9 === 0 ? '' : `${hex(at - 1, 8)}${String(at - 1).padStart(8, '0')}`,
    root_span_id: traceId,
    span_name: isLlm ? 'ChatModel' : type === 'tool' ? 'look_up' : 'agent',
    start_time: new Date(Date.UTC(2026, 1, 3, 9, 0, at)).toISOString().replace('Z', '200+00:00'),
    duration_ms: 1_000 + at,
    status_code: 'OK',
    status_message: '',
    span_type: type,
    agent_name: 'model',
    conversation_id: '',
    model_name: isLlm ? 'gpt-4o' : '',
    llm_input_system: isLlm ? `# Rules\n\n${'Answer from the documents alone. '.repeat(200)}` : '',
    llm_input_user: isLlm ? `How do I change the address of order ${at}?` : '',
    llm_output: isLlm ? `Open **Orders**, choose ${at}, then *Change address*.` : '',
    tool_name: type === 'tool' ? 'look_up' : '',
    tool_input: type === 'tool' ? `order ${at}` : '',
    tool_output: type === 'tool' ? `{"order": ${at}, "state": "sent"}` : '',
    custom_attributes: '{}',
    exception_info: null,
  };
}

/** The export as JSON Lines. */
export const exportedSpans = (count: number): string =>
  Array.from({ length: count }, (_, at) => `${JSON.stringify(exportedSpan(at))}\n`).join('');
