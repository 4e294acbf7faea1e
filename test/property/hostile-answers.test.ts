/** The client neither crashes nor hangs, and names each failure, whatever a server answers. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import { operationText } from '../../electron/api/request-target.ts';
import type { CallInput } from '../../electron/api/types.ts';
import { AppError } from '../../electron/shared/errors.ts';
import { type ClientRig, openClient, RIG_TOKEN } from '../helpers/client-rig.ts';
import { hostileAnswer } from '../helpers/hostile-answers.ts';
import { type HostileAnswer, HostileServer } from '../helpers/hostile-server.ts';
import { textFile } from '../helpers/multipart.ts';
import { runs } from '../helpers/runs.ts';

/** `PROPERTY_RUNS=10000` makes a long run. */
const RUNS = runs(250);
/** Time in ms, far above every limit of the client below. */
const HANGS_AFTER_MS = 60_000;
/** Time in ms within which an honest server has answered, even on a busy machine. */
const HONEST_MS = 30_000;
const LIMITS = { silenceTimeoutMs: HONEST_MS, totalTimeoutMs: 200, maxAnswerBytes: 1_048_576 };
const MAX_MESSAGE_CHARS = 2_000;
const MAX_WIRE_CHARS = 100_000;
/**
 * A token with characters that have a meaning in headers, addresses, JSON or HTML. A token may contain any printable
 * ASCII character.
 */
const ODD_TOKEN = 'ab/+="quo<ted>\\&%41,;$^*(x)[y]{z}?.|~end';

let server: HostileServer;
beforeAll(async () => {
  server = await HostileServer.start();
});
afterAll(() => server[Symbol.asyncDispose]());

function inputOf(operation: OperationId): CallInput {
  const row = endpoint(operation);
  const parts = Object.entries(row.multipart ?? {}).map(([name, kind]) => [
    name,
    kind === 'file' ? textFile('a.csv', 'a') : kind === 'number' ? 1 : 'text',
  ]);
  return {
    path: Object.fromEntries([...row.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name, 'x'])),
    query: Object.fromEntries(row.requiredQuery.map((name) => [name, '1'])),
    ...(row.multipart === null ? { bodyText: '{}' } : { parts: Object.fromEntries(parts) }),
  };
}

function send(rig: ClientRig, operation: OperationId, isRaw: boolean): Promise<unknown> {
  const { client } = rig;
  const row = endpoint(operation);
  const options = { priority: 'click' as const };
  if (isRaw) return client.request({ method: row.method, path: row.path.replaceAll(/[{}]/g, '') }, options);
  if (row.answer === 'paginated') return client.list(operation, inputOf(operation), options);
  return client.call(operation, inputOf(operation), options);
}

/** Every text in a value, including the names of fields. */
function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, part] of Object.entries(value)) {
    yield name;
    yield* textsOf(part);
  }
}

function expectNoToken(value: unknown, token: string): void {
  for (const text of textsOf(value)) {
    if (text.includes(token)) throw new Error(`The token stands in ${text.slice(0, 200)}`);
  }
}

function expectUseful(error: unknown, operation: OperationId, token: string): void {
  if (!(error instanceof AppError)) throw error;
  expect(error.code).not.toBe('INTERNAL');
  expect(error.message.length).toBeLessThanOrEqual(MAX_MESSAGE_CHARS);
  expect(error.message).toMatch(/\S.*[.!?…]$/s);
  expect([operationText(endpoint(operation)), '127.0.0.1'].some((what) => error.message.includes(what))).toBe(
    true,
  );
  // If the server has read the request, it must not be reported as unsent. A timeout may happen before.
  if (server.heard > 0) expect(['answered', 'unknown']).toContain(error.details.outcome);
  else expect(error.code).toBe('TIMEOUT');
  const wire = error.toWire();
  expect(JSON.stringify(wire).length).toBeLessThanOrEqual(MAX_WIRE_CHARS);
  expectNoToken(wire, token);
}

async function exchange(
  answer: HostileAnswer,
  operation: OperationId,
  isRaw: boolean,
  token: string,
): Promise<'succeeded' | string> {
  server.next = answer;
  server.heard = 0;
  const rig = openClient({ baseUrl: server.baseUrl, token, limits: LIMITS, maxRejections: 1 });
  let cancelGuard: () => void = () => undefined;
  const guard = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('The client hangs.')), HANGS_AFTER_MS);
    cancelGuard = () => clearTimeout(timer);
  });
  try {
    const value = await Promise.race([send(rig, operation, isRaw), guard]);
    expectNoToken(value, token);
    return 'succeeded';
  } catch (problem) {
    expectUseful(problem, operation, token);
    return problem instanceof AppError ? problem.code : 'none';
  } finally {
    cancelGuard();
    await expectNextAnswered(rig);
    expect(rig.log).toHaveLength(1);
    expectNoToken(rig.log, token);
    await rig[Symbol.asyncDispose]();
  }
}

const HONEST = '{"api_version":"3.0","kind":"NORMAL","data":{"server_version":"honest"}}';

const isLost = (answer: Awaited<ReturnType<ClientRig['http']['send']>>): boolean =>
  answer.kind === 'failed' && answer.error.code === 'CONNECTION_LOST';

/** The next request must not be affected by the previous exchange. */
async function expectNextAnswered({ http }: ClientRig): Promise<void> {
  const head = `HTTP/1.1 200 OK\r\nContent-Length: ${HONEST.length}\r\nConnection: close\r\n\r\n`;
  server.next = { pieces: [Buffer.from(head + HONEST)], pace: 'at once', end: 'end' };
  const target = '/v3/server-info';
  const request = { method: 'GET', target, operation: `GET ${target}`, timeoutMs: HONEST_MS } as const;
  server.dropSockets();
  let answer = await http.send(request);
  // A socket that was kept may be closed at the moment when the next request uses it. This was found with an answer of
  // 270,000 bytes, which a thread read while its socket was free again, and which was then dropped or ended.
  for (let tries = 1; tries < 3 && isLost(answer); tries += 1) answer = await http.send(request);
  expect(answer).toMatchObject({ kind: 'answered', status: 200, text: HONEST });
}

test('hostile answers on a socket', async () => {
  const endings = new Map<string, number>();
  const token = fc.constantFrom(RIG_TOKEN, ODD_TOKEN);
  await fc.assert(
    fc.asyncProperty(
      token.chain((each) => fc.tuple(fc.constant(each), hostileAnswer(each))),
      fc.constantFrom(...OPERATION_IDS),
      fc.integer({ min: 0, max: 9 }),
      async ([each, answer], operation, dice) => {
        const ending = await exchange(answer, operation, dice === 0, each);
        endings.set(ending, (endings.get(ending) ?? 0) + 1);
      },
    ),
    { numRuns: RUNS },
  );
  if (process.env['PROPERTY_RUNS'] !== undefined) console.log(Object.fromEntries(endings));
  // There must be many kinds of answers: if all ended alike, the test would check nothing.
  expect([...endings.keys()].length).toBeGreaterThan(8);
  expect(endings.get('succeeded')).toBeGreaterThan(RUNS / 100);
}, 900_000);
