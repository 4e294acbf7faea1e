/** Finds the lists and records to read after a record of a kept entry was read. */
import type { Library } from '../library/types.ts';
import { readRule } from '../shared/alert-rule.ts';
import type { KeepPlan } from '../shared/keep-model.ts';
import type { ListQuery } from '../shared/model.ts';
import type { KeepRequest } from './keep-request.ts';
import { binsOfRule, modelOfRule, valuesOfRule } from './rule-requests.ts';

const VIEW = 'keep offline';

/** Empty for a list. Its rows may lead to thousands of requests, so they are read row by row. */
export async function followUps(
  library: Pick<Library, 'openRecord' | 'release'>,
  plan: KeepPlan,
  { query, leadsTo }: Pick<KeepRequest, 'query' | 'leadsTo'>,
): Promise<KeepRequest[]> {
  const stored = async (asked: ListQuery) => {
    const { record } = await library.openRecord({ viewId: VIEW, query: asked, refresh: 'never' });
    library.release(VIEW);
    return record;
  };
  if (leadsTo === null || leadsTo === 'values') return [];
  const found = await stored(query);
  if (leadsTo === 'rule-model') return found === null ? [] : modelOfRule(found, plan);
  if (leadsTo === 'rule-bins') return found === null ? [] : binsOfRule(found, plan.id);
  const rule = await stored({ operation: 'alert-rules.get', path: { alert_id: plan.id }, query: {} });
  return rule === null ? [] : valuesOfRule(readRule(rule), plan, found);
}
