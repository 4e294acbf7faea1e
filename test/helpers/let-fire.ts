/** An alert rule of the sample service that fires in every bin: with its own thresholds there are months without any. */
import { expect, type TestService } from './product.ts';

export async function letFire(service: TestService, rule: string): Promise<void> {
  const ask = async (path: string, change?: unknown): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${service.baseUrl}/v3/alert-rules${path}`, {
      method: change === undefined ? 'GET' : 'PATCH',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      ...(change === undefined ? {} : { body: JSON.stringify(change) }),
    });
    return ((await answer.json()) as { data: Record<string, unknown> }).data;
  };
  const { items } = (await ask('?limit=200')) as unknown as { items: { id: string; name: string }[] };
  const thresholds = { warning_threshold: 0.0001, critical_threshold: 0.0002 };
  const id = items.find(({ name }) => name === rule)?.id;
  expect(await ask(`/${id}`, thresholds)).toMatchObject(thresholds);
}
