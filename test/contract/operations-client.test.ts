/** Every operation of the table through the client of the product: its success, and every declared error. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Endpoint, endpoint, OPERATION_IDS, type OperationId } from '../../electron/api/endpoints.ts';
import { operationText } from '../../electron/api/request-target.ts';
import type { AppError, ErrorCode } from '../../electron/shared/errors.ts';
import { failure } from '../helpers/client-bench.ts';
import { issuesOf, provocation } from './sample-service-cases/provocations.ts';
import { isPage, ThroughClient } from './sample-service-cases/through-client.ts';
import { type Sending, World } from './sample-service-cases/world.ts';
import { CASES } from './sample-service-cases.ts';

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  422: 'UNPROCESSABLE',
  429: 'RATE_LIMITED',
  500: 'SERVICE_FAILED',
  503: 'SERVICE_UNAVAILABLE',
};

let world: World;
let through: ThroughClient;
let patient: ThroughClient;
let impatient: ThroughClient;
beforeAll(async () => {
  world = await World.start();
  through = new ThroughClient(world);
  patient = new ThroughClient(world);
  impatient = new ThroughClient(world, { maxRejections: 1 });
});
afterAll(async () => {
  for (const driver of [through, patient, impatient]) await driver.stop();
  await world.stop();
});

const declared = (row: Endpoint) => row.errors.filter((status) => status !== 429);
const isLimited = (row: Endpoint) => row.limit !== 'unlisted' || row.errors.includes(429);

function expectError(error: AppError, row: Endpoint, status: number): void {
  const operation = operationText(row);
  expect(error).toMatchObject({ code: CODES[status], details: { status, operation, outcome: 'answered' } });
  expect(error.message).toMatch(/ The service says: \S.*[.!?]$/);
  expect(error.message).toContain(`${operation} was answered with status ${status}.`);
  expect(error.details.issues).toMatchObject(issuesOf(status));
  expect(error.details.reason).toEqual(error.details.issues?.[0]?.reason);
}

describe.each(OPERATION_IDS)('%s', (operation) => {
  const row = endpoint(operation);

  it('succeeds, and is one row of the request log', async () => {
    const sending = await CASES[operation].success(world);
    const answer = await through.send(operation, sending);
    expect(answer.status).toBe(row.successStatus);
    // The client itself checked the items and records with the schema of the row.
    if (row.answer === 'paginated') expect(isPage(answer.value)).toBe(true);
    else if (row.answer === 'array') expect(answer.value).toBeInstanceOf(Array);
    else expect(answer.value).toBeTypeOf('object');
    expect(through.rig().log.at(-1)).toMatchObject({
      id: answer.requestId,
      operation: operationText(row),
      status: row.successStatus,
      errorCode: null,
      attempts: 1,
    });
  });

  it.each(declared(row))('fails with the meaning of %i', async (status) => {
    const { sending, ...how } = await provocation(world, operation, status);
    const error = await failure(through.send(operation, sending, how));
    expectError(error, row, status);
    const logged = through.rig(how.token).log.at(-1);
    expect(logged).toMatchObject({ id: error.details.requestId, status, errorCode: CODES[status] });
  });

  if (row.body !== null) {
    it('does not send a body of another form', async () => {
      const sent = through.rig().log.flatMap(({ tries }) => tries).length;
      const sending = { ...(await CASES[operation].success(world)), body: [] };
      expect(await failure(through.send(operation, sending))).toMatchObject({
        code: 'INVALID_ARGUMENT',
        details: { outcome: 'unsent' },
      });
      expect(through.rig().log.flatMap(({ tries }) => tries)).toHaveLength(sent);
    });
  }
});

describe('a rate limit', () => {
  const LIMITED = OPERATION_IDS.filter((operation) => isLimited(endpoint(operation)));

  /** Makes requests of all limited operations before the first of them is rejected. */
  async function refusingAll(retryAfterS: number): Promise<[OperationId, Sending][]> {
    const all: [OperationId, Sending][] = [];
    world.raw.service.setFaults([]);
    for (const operation of LIMITED) all.push([operation, await CASES[operation].success(world)]);
    const action = { type: 'status', status: 429, retryAfterS } as const;
    world.raw.service.setFaults(LIMITED.map((operation) => ({ match: { operation }, times: 1, action })));
    return all;
  }

  it('is waited for by each operation separately, and no less than the service asks', async () => {
    const all = await refusingAll(1);
    const answers = await Promise.all(all.map(([operation, sending]) => patient.send(operation, sending)));
    expect(answers.map(({ status }) => status)).toEqual(
      LIMITED.map((operation) => endpoint(operation).successStatus),
    );
    const log = patient.log();
    expect(log).toHaveLength(LIMITED.length);
    for (const { operation, attempts, tries } of log) {
      expect([operation, attempts, tries.map(({ status }) => status)]).toEqual([
        operation,
        2,
        [429, expect.any(Number)],
      ]);
      const [first, second] = tries;
      const waitedMs = (second?.sentAtMs ?? 0) - (first?.sentAtMs ?? 0);
      expect(waitedMs, operation).toBeGreaterThanOrEqual(1_000);
    }
  });

  it('that is not waited for is an error that says so', async () => {
    const all = await refusingAll(3_600);
    for (const [operation, sending] of all) {
      const row = endpoint(operation);
      const error = await failure(impatient.send(operation, sending));
      expectError(error, row, 429);
      expect(error.retry).toBe('later');
    }
  });
});

it('the table has no operation and no declared error that was not exercised through the client', () => {
  const missing = OPERATION_IDS.flatMap((operation) => {
    const row = endpoint(operation);
    const refused = isLimited(row) ? [429] : [];
    const seen = [through, patient, impatient].map((driver) => driver.statuses(operation));
    return [row.successStatus, ...row.errors, ...refused]
      .filter((status) => !seen.some((statuses) => statuses.has(status)))
      .map((status) => `${operation} ${status}`);
  });
  expect(missing).toEqual([]);
});
