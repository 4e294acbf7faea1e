/** The reply that a route is about to send, before a fault may change it. */
export interface Reply {
  status: number;
  headers: Record<string, string>;
  /** Body text; null if there is no body. */
  text: string | null;
}

export function jsonReply(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  if (body === null) return { status, headers, text: null };
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8', ...headers },
    text: JSON.stringify(body),
  };
}

export function toResponse(reply: Reply): Response {
  return new Response(reply.text, { status: reply.status, headers: reply.headers });
}
