/**
 * Scripted faults: a list of rules, each with the fault and the requests that it applies to. They are deterministic, so
 * that a test can reproduce a fault.
 */
import { isOperationId, type OperationId } from '../api/endpoints.ts';
import * as z from '../shared/zod.ts';
import { describeIssues } from './issues.ts';

const delayMs = z.int().min(0).max(3_600_000);
const status = z.int().min(200).max(599);

const action = z.discriminatedUnion('type', [
  /** An error envelope with this status. `isStored`: the request is executed nevertheless. */
  z.strictObject({
    type: z.literal('status'),
    status: z.int().min(300).max(599),
    message: z.string().optional(),
    reason: z.string().optional(),
    retryAfterS: z.int().min(0).optional(),
    isStored: z.boolean().optional(),
  }),
  /** An HTML page, as a proxy would send it. */
  z.strictObject({ type: z.literal('html'), status: status.optional(), isStored: z.boolean().optional() }),
  /** Half of the true answer; the response itself ends normally. */
  z.strictObject({ type: z.literal('truncated-json') }),
  /** The headers announce the whole answer, but the connection ends half way through it. */
  z.strictObject({ type: z.literal('cut') }),
  /** The connection ends before the body of the request is read, so nothing is executed. */
  z.strictObject({ type: z.literal('drop') }),
  /** The request is executed, then the connection ends without an answer. */
  z.strictObject({ type: z.literal('drop-after') }),
  z.strictObject({ type: z.literal('delay'), delayMs }),
  /** The request is never answered. `isStored`: it is executed nevertheless. */
  z.strictObject({ type: z.literal('hang'), isStored: z.boolean().optional() }),
  /** The true answer in pieces of `chunkBytes`, one piece every `everyMs` milliseconds. */
  z.strictObject({
    type: z.literal('drip'),
    everyMs: delayMs.min(1),
    chunkBytes: z.int().min(1).optional(),
  }),
  z.strictObject({ type: z.literal('redirect'), to: z.url(), status: z.int().min(300).max(308).optional() }),
  /** The true answer with another `api_version`. */
  z.strictObject({ type: z.literal('api-version'), version: z.string() }),
  /** The true answer, right after another client has published this many events to the model's PRODUCTION. */
  z.strictObject({
    type: z.literal('live-traffic'),
    modelId: z.string(),
    rows: z.int().min(1).max(10_000),
  }),
  /** JSON without the envelope. */
  z.strictObject({
    type: z.literal('not-envelope'),
    status: status.optional(),
    body: z.json().optional(),
  }),
]);
export type FaultAction = z.infer<typeof action>;

const match = z.strictObject({
  operation: z
    .string()
    .refine(isOperationId, { error: 'is not an operation of the endpoint table' })
    .optional(),
  method: z.enum(['GET', 'POST', 'PATCH', 'DELETE']).optional(),
  /** A path as it is sent, a path template, or a prefix followed by `*`. */
  path: z.string().startsWith('/').optional(),
});

const faultRule = z.strictObject({
  match: match.optional(),
  /** The rule takes effect from the nth matching request on, counted from 1. */
  after: z.int().min(1).optional(),
  /** Maximum number of times that the rule takes effect; default: no limit. */
  times: z.int().min(1).optional(),
  /**
   * Takes effect on every nth request from `after` on: with 3 and `after` 1, on the first, the fourth and the seventh.
   */
  every: z.int().min(1).optional(),
  action,
});
export type FaultRule = z.infer<typeof faultRule>;

const faultList = z.array(faultRule);

/** Parses a list of rules; throws an Error that names the rule and the field. */
export function parseFaults(value: unknown): FaultRule[] {
  const parsed = faultList.safeParse(value);
  if (!parsed.success) throw new Error(`The fault rules are not valid: ${describeIssues(parsed.error)}`);
  return parsed.data;
}

interface FaultSubject {
  operation: OperationId;
  method: string;
  path: string;
  template: string;
}

function isMatch(rule: FaultRule, subject: FaultSubject): boolean {
  const { operation, method, path } = rule.match ?? {};
  if (operation !== undefined && operation !== subject.operation) return false;
  if (method !== undefined && method !== subject.method) return false;
  if (path === undefined) return true;
  if (path.endsWith('*')) {
    const start = path.slice(0, -1);
    return subject.path.startsWith(start) || subject.template.startsWith(start);
  }
  return path === subject.path || path === subject.template;
}

/**
 * Holds the rules and their counts. Only the first rule that would take effect on a request does, but all matching
 * rules count the request.
 */
export class FaultScript {
  #rules: { rule: FaultRule; seen: number; acted: number }[] = [];

  constructor(rules: readonly FaultRule[] = []) {
    this.set(rules);
  }

  set(rules: readonly FaultRule[]): void {
    this.#rules = rules.map((rule) => ({ rule, seen: 0, acted: 0 }));
  }

  /** The rules, with how often each one matched and took effect. */
  list(): { rule: FaultRule; seen: number; acted: number }[] {
    return this.#rules.map((entry) => ({ ...entry }));
  }

  next(subject: FaultSubject): FaultAction | null {
    let chosen: FaultAction | null = null;
    for (const entry of this.#rules) {
      if (!isMatch(entry.rule, subject)) continue;
      entry.seen += 1;
      const { after = 1, times = Number.POSITIVE_INFINITY, every = 1 } = entry.rule;
      const position = entry.seen - after;
      if (chosen !== null || position < 0 || position % every !== 0 || entry.acted >= times) continue;
      entry.acted += 1;
      chosen = entry.rule.action;
    }
    return chosen;
  }
}
