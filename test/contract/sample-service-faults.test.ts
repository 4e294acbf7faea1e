/** Scripted faults by raw HTTP: the answers that the client gets, and the data that is stored nevertheless. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultAction, type FaultRule, parseFaults } from '../../electron/sample-service/faults.ts';
import { RawService, TOKEN } from '../helpers/sample-service.ts';
import { VirtualClock } from '../helpers/virtual-clock.ts';

let raw: RawService;
let clock: VirtualClock;
let model: string;

beforeEach(async () => {
  clock = new VirtualClock();
  raw = await RawService.start({ clock });
  model = await raw.idOf('models.list', 'Bank churn');
  raw.service.clearReport();
});
afterEach(() => raw.service.stop());

function publish() {
  const source = { type: 'EVENTS', events: [{ Age: 33 }] };
  return raw.raw('POST', '/v3/events', { body: { model_id: model, env_type: 'PRODUCTION', source } });
}

const script = (action: FaultAction, rest: Omit<FaultRule, 'action'> = {}): void =>
  raw.service.setFaults([{ ...rest, action }]);

/** Advances the virtual time once the service is waiting for it. */
async function untilWaiting(): Promise<void> {
  while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
}

async function codeOf(request: Promise<unknown>): Promise<string> {
  try {
    await request;
    return 'answered';
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return String(Reflect.get(Object(cause), 'code') ?? cause ?? error);
  }
}

describe('faults in answers', () => {
  it('a status with its envelope, once', async () => {
    script({ type: 'status', status: 503, retryAfterS: 2, reason: 'Maintenance' }, { times: 1 });
    const answer = await raw.call('GET', '/v3/projects');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(answer.envelope.error?.errors[0]?.reason).toBe('Maintenance');
    expect((await raw.call('GET', '/v3/projects')).status).toBe(200);
    expect(raw.service.report().faults).toBe(1);
  });

  it('a status that hides a stored event', async () => {
    script({ type: 'status', status: 500, isStored: true });
    expect((await publish()).status).toBe(500);
    expect(raw.service.events(model).count).toBe(1);
    script({ type: 'status', status: 500 });
    await publish();
    expect(raw.service.events(model).count).toBe(1);
  });

  it('HTML, no envelope, another version, a redirect', async () => {
    script({ type: 'html', status: 502 });
    const html = await raw.raw('GET', '/v3/projects');
    expect([html.status, html.headers.get('content-type')]).toEqual([502, 'text/html; charset=utf-8']);
    script({ type: 'not-envelope', body: [1, 2] });
    expect((await raw.raw('GET', '/v3/projects')).text).toBe('[1,2]');
    script({ type: 'api-version', version: '9.1' });
    expect(JSON.parse((await raw.raw('GET', '/v3/projects')).text)).toMatchObject({
      api_version: '9.1',
      kind: 'PAGINATED',
      data: { total: 2 },
    });
    script({ type: 'redirect', to: 'http://127.0.0.1:9/elsewhere', status: 307 });
    const moved = await raw.raw('GET', '/v3/projects');
    expect([moved.status, moved.headers.get('location')]).toEqual([307, 'http://127.0.0.1:9/elsewhere']);
  });

  it('half of the JSON', async () => {
    const whole = (await raw.raw('GET', '/v3/projects')).text;
    script({ type: 'truncated-json' });
    const half = (await raw.raw('GET', '/v3/projects')).text;
    expect(whole.startsWith(half)).toBe(true);
    expect(half.length).toBe(Math.floor(whole.length / 2));
  });
});

describe('faults of connections', () => {
  it('dropped before anything is stored', async () => {
    script({ type: 'drop' });
    expect(await codeOf(publish())).toMatch(/UND_ERR_SOCKET|ECONNRESET|EPIPE/);
    expect(raw.service.events(model).count).toBe(0);
    expect(raw.service.report().operations['events.publish']).toEqual({ requests: 1, statuses: { none: 1 } });
  });

  it('dropped after storing: the answer is lost, the event is stored', async () => {
    script({ type: 'drop-after' }, { match: { operation: 'events.publish' }, times: 1 });
    expect(await codeOf(publish())).toMatch(/UND_ERR_SOCKET|ECONNRESET/);
    expect(raw.service.events(model).count).toBe(1);
    expect((await publish()).status).toBe(200);
    expect(raw.service.events(model).count).toBe(2);
  });

  it('cut in the middle of the answer', async () => {
    script({ type: 'cut' });
    expect(await codeOf(raw.raw('GET', '/v3/projects'))).toMatch(/UND_ERR_SOCKET|ECONNRESET|terminated/);
  });

  it('a delay has the stated length', async () => {
    script({ type: 'delay', delayMs: 5_000 });
    let isAnswered = false;
    const answer = raw.call('GET', '/v3/projects').then((found) => {
      isAnswered = true;
      return found;
    });
    await untilWaiting();
    clock.advance(4_999);
    expect([isAnswered, clock.pending]).toEqual([false, 1]);
    clock.advance(1);
    expect((await answer).status).toBe(200);
  });

  it('an answer that arrives slowly in small parts is received completely', async () => {
    const whole = (await raw.raw('GET', '/v3/projects')).text;
    script({ type: 'drip', everyMs: 100, chunkBytes: 200 });
    const answer = raw.raw('GET', '/v3/projects');
    for (let sent = 0; sent < whole.length; sent += 200) {
      await untilWaiting();
      clock.advance(100);
    }
    expect((await answer).text).toBe(whole);
  });

  it('a hanging request ends when the service stops, at once', async () => {
    script({ type: 'hang', isStored: true });
    const lost = codeOf(publish());
    while (raw.service.events(model).count === 0) await new Promise((resolve) => setImmediate(resolve));
    await raw.service.stop();
    expect(await lost).toMatch(/UND_ERR_SOCKET|ECONNRESET/);
  });
});

describe('matching requests', () => {
  const failing = async (count: number, path = '/v3/projects'): Promise<number[]> => {
    const hit: number[] = [];
    for (let request = 1; request <= count; request += 1) {
      if ((await raw.call('GET', path)).status === 500) hit.push(request);
    }
    return hit;
  };
  const action: FaultAction = { type: 'status', status: 500 };

  it.each([
    [{}, [1, 2, 3, 4, 5, 6, 7]],
    [{ after: 3 }, [3, 4, 5, 6, 7]],
    [{ times: 2 }, [1, 2]],
    [{ every: 3 }, [1, 4, 7]],
    [{ after: 2, every: 2, times: 2 }, [2, 4]],
  ])('%j', async (rest, expected) => {
    script(action, rest);
    expect(await failing(7)).toEqual(expected);
  });

  it('by operation, method, path, template, path prefix', async () => {
    const matches: [FaultRule['match'], number, number][] = [
      [{ operation: 'projects.list' }, 1, 0],
      [{ method: 'GET' }, 1, 1],
      [{ method: 'POST' }, 0, 0],
      [{ path: '/v3/projects' }, 1, 0],
      [{ path: '/v3/models/{model_id}' }, 0, 1],
      [{ path: `/v3/models/${model}` }, 0, 1],
      [{ path: '/v3/mod*' }, 0, 1],
      [{ path: '/v3/projects', method: 'POST' }, 0, 0],
    ];
    for (const [match, projects, models] of matches) {
      script(action, match === undefined ? {} : { match });
      expect(await failing(1)).toHaveLength(projects);
      expect(await failing(1, `/v3/models/${model}`)).toHaveLength(models);
    }
  });

  it('the first rule that acts wins, the others keep counting', async () => {
    raw.service.setFaults([
      { times: 1, action: { type: 'status', status: 503 } },
      { after: 2, times: 1, action },
    ]);
    const found: number[] = [];
    for (let request = 0; request < 3; request += 1)
      found.push((await raw.call('GET', '/v3/projects')).status);
    expect(found).toEqual([503, 500, 200]);
  });

  it('leaves out requests without a token', async () => {
    script(action);
    expect((await raw.call('GET', '/v3/projects', { token: null })).status).toBe(401);
  });
});

describe('rules for faults', () => {
  it('are set by HTTP, and rejected with their position', async () => {
    const url = '/__sample/faults';
    const good = await raw.raw('POST', url, { body: [{ action: { type: 'html' } }], token: null });
    expect(JSON.parse(good.text)).toEqual({ rules: 1 });
    expect((await raw.raw('GET', '/v3/projects', { token: TOKEN })).text).toContain('<!doctype html>');
    const bad = await raw.raw('POST', url, {
      body: [{ action: { type: 'html' } }, { action: { type: 'melt' } }],
    });
    expect(bad.status).toBe(400);
    expect(JSON.parse(bad.text).message).toContain('[1].action');
    expect((await raw.raw('POST', url, { text: 'no json' })).status).toBe(400);
  });

  it.each([
    [{}, 'array'],
    [[{ action: { type: 'delay' } }], '[0].action.delayMs'],
    [[{ action: { type: 'html' }, times: 0 }], '[0].times'],
    [[{ action: { type: 'html' }, match: { operation: 'planets.list' } }], '[0].match.operation'],
    [[{ action: { type: 'html' }, match: { path: 'v3' } }], '[0].match.path'],
    [[{ action: { type: 'redirect', to: 'nowhere' } }], '[0].action.to'],
    [[{ action: { type: 'html' }, often: true }], 'often'],
  ])('%j is rejected', (rules, part) => {
    expect(() => parseFaults(rules)).toThrow(part);
  });
});
