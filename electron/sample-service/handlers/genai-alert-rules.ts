/** Alert rules of applications (SERVICE.md F15). */
import { listAnswer } from '../lists.ts';
import type { Handlers } from './handler.ts';

export const genaiAlertRuleHandlers = {
  'genai-alert-rules.list': ({ stores }, request) =>
    listAnswer(stores.resources.list('genai-alert-rule'), request),
} satisfies Pick<Handlers, 'genai-alert-rules.list'>;
